/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show.h - pictures: what one otherwise draws by hand, as text, SVG or HTML.
 *
 *  A picture has panels, and a panel boxes with labels on a grid of columns and
 *  rows: the elements of a layout, the bits of a descriptor, what roles do in each
 *  step.  A view makes the picture of a thing; zlay_picture_print prints any
 *  picture in any form; the boxes can be read one by one.
 *
 *  By hand: (2,3):(3,1) has the panel of 2 rows and 3 columns whose boxes are
 *  labelled 0 1 2 and 3 4 5.  As text:
 *
 *        0 1 2
 *      0 0 1 2
 *      1 3 4 5
 */
#ifndef ZLAY_SHOW_H
#define ZLAY_SHOW_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A picture; immutable, read by any thread. */
typedef struct zlay_picture zlay_picture;

/** What the boxes of a panel are. */
enum {
    ZLAY_PANEL_CELLS = 1, /* elements: a label is wholly shown */
    ZLAY_PANEL_BITS,      /* fields: columns are bits, the lowest first, and rows words */
    ZLAY_PANEL_BARS,      /* what lasts: columns are steps of time, and rows the roles or stages */
    ZLAY_PANEL_STEPS,     /* the same of few steps: a label is wholly shown */
};

/** A panel.  32 bytes. */
typedef struct zlay_panel {
    const char *name; /* "" where the picture has one panel; lives as long as the picture */
    int32_t kind;     /* ZLAY_PANEL_* */
    uint32_t columns, rows;
    uint32_t reserved;
    uint64_t boxes;
} zlay_panel;

/** A box of one row.  56 bytes. */
typedef struct zlay_box {
    uint32_t column, row, width; /* it has the columns from `column` to before column + width */
    int32_t shade;               /* which of ZLAY_SHADES fills it has; -1: none */
    uint32_t marked;             /* 1: something is wrong here */
    uint32_t reserved;           /* 0 */
    int64_t key;  /* boxes of a number are picked together, as those of a thread; -1: of none */
    int64_t step; /* of time in which it appears; -1: it is there always */
    const char *label, *tip; /* live as long as the picture */
} zlay_box;

enum { ZLAY_SHADES = 16 };

/** Free a picture; NULL is allowed. */
ZLAY_API void zlay_picture_free(zlay_picture *picture);

/** What a picture is of; "" for NULL.
 *
 *  Returns: a text that lives as long as the picture.
 */
ZLAY_API const char *zlay_picture_title(const zlay_picture *picture);

/** A line that stands below a picture.
 *
 *  Returns: a text that lives as long as the picture; NULL past the last.
 */
ZLAY_API const char *zlay_picture_note_nth(const zlay_picture *picture, uint64_t i);

/** A panel of a picture.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL.
 *  Out:     out  the panel.
 *  In:      i    its number.
 */
ZLAY_API zlay_status zlay_picture_panel_nth(zlay_panel *out, const zlay_picture *picture,
                                            uint64_t i);

/** A box of a panel.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last, or no such panel; ZLAY_EINVAL.
 *  Out:     out    the box.
 *  In:      panel  number of the panel.
 *           i      number of the box.
 */
ZLAY_API zlay_status zlay_picture_box_nth(zlay_box *out, const zlay_picture *picture,
                                          uint64_t panel, uint64_t i);

/** The label of a column, or of a row, of a panel.
 *
 *  Returns: a text that lives as long as the picture; NULL: there is none.
 *  In:      panel  number of the panel.
 *           i      number of the column or row.
 */
ZLAY_API const char *zlay_picture_column(const zlay_picture *picture, uint64_t panel, uint64_t i);
ZLAY_API const char *zlay_picture_row(const zlay_picture *picture, uint64_t panel, uint64_t i);

/** How a picture is printed. */
enum {
    ZLAY_PICTURE_TEXT = 1, /* lines of ASCII that fit `width` */
    ZLAY_PICTURE_SVG,      /* light or dark as its reader's page is, with tooltips */
    ZLAY_PICTURE_HTML,     /* one page that needs no other: boxes are picked, and time goes on */
};

/** The form of a print.  32 bytes. */
typedef struct zlay_picture_form {
    uint32_t size;        /* sizeof(zlay_picture_form) */
    int32_t form;         /* ZLAY_PICTURE_* */
    uint32_t width;       /* of text, in characters: at least 20; 0: 80 */
    uint32_t colour;      /* of text, 1: shades as colours of a terminal */
    uint64_t reserved[2]; /* 0 */
} zlay_picture_form;

/** Print a picture.  The same picture in the same form has the same bytes.
 *
 *  Text that does not fit is divided into bands of columns; a marked box has a `!`
 *  behind its label, and cells without a box a `.`.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_picture_print(zlay_ctx *ctx, zlay_buf *out, const zlay_picture *picture,
                                        const zlay_picture_form *form);

/** What the labels of a layout's elements say. */
enum {
    ZLAY_SHOW_VALUES = 1, /* the value of each coordinate */
    ZLAY_SHOW_HOLDERS, /* of a layout from (thread, value) to elements: what holds each of them */
};

/** What zlay_show_layout reads.  56 bytes. */
typedef struct zlay_show_layout_request {
    uint32_t size;    /* sizeof(zlay_show_layout_request) */
    int32_t labels;   /* ZLAY_SHOW_*; 0: ZLAY_SHOW_VALUES */
    uint64_t rows;    /* of the elements, ZLAY_SHOW_HOLDERS alone: index = row + rows * column; */
    uint64_t columns; /* 0, both: one row of as many as the layout has values */
    uint64_t reserved[4]; /* 0 */
} zlay_show_layout_request;

/** Show a layout.  Of values: rows are coordinates of the first mode, columns of the
 *  second, and a panel stands for each coordinate of the others; a single mode is a
 *  row; the shade is the value modulo ZLAY_SHADES.  Of holders: T3V1 has the element,
 *  its key and shade are the thread's; an element that several have is marked.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for a value outside rows x columns;
 *           ZLAY_ENOTSUP the layout has parameters; ZLAY_ELIMIT more boxes than
 *           limits.points; ZLAY_ENOMEM.
 *  Out:     out      free it with zlay_picture_free.
 *  In:      request  NULL: zeros.
 */
ZLAY_API zlay_status zlay_show_layout(zlay_ctx *ctx, zlay_picture **out, const zlay_layout *layout,
                                      const zlay_show_layout_request *request);

#ifdef __cplusplus
}
#endif
#endif
