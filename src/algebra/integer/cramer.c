/* SPDX-License-Identifier: Apache-2.0 */
/* Elimination modulo several primes, and numbers out of their residues; see cramer.h.
 *
 * No row is divided on the way: row i is multiplied by the pivots of the rows before it, and one
 * inversion a prime takes all of that back.  Columns keep their order, and the first prime fixes
 * which rows hold the pivots; a later prime that divides one of those pivots is passed over,
 * and one that shows a pivot where the first prime had none takes its place. */
#include "algebra/integer/cramer.h"

/* The primes 2^61 - below[i], greatest first. */
static const uint16_t below[] = {1,   31,  45,  229, 259,  283,  339,  391,  403,  465,  531,
                                 579, 675, 759, 799, 819,  829,  843,  859,  939,  985,  1015,
                                 1153, 1195, 1215, 1281, 1299, 1351, 1371, 1425, 1489, 1525};
enum { PRIMES = ZL_COUNT(below), BITS = 61 };

static const uint64_t low_bits = ((uint64_t)1 << BITS) - 1;

/* Bits that each prime is good for at least, and bits of a minor that leave two primes to
 * spare. */
static const double prime_bits = 60.999, bits_most = 1800;

/* t modulo 2^61 - c, for t < 2^124 and c < 2^11. */
static inline uint64_t fold(zl_u128 t, uint64_t c)
{
    zl_u128 once = (zl_u128)(uint64_t)(t >> BITS) * c + ((uint64_t)t & low_bits);
    uint64_t twice = (uint64_t)(once >> BITS) * c + ((uint64_t)once & low_bits);
    uint64_t prime = low_bits + 1 - c;
    return twice >= prime ? twice - prime : twice;
}

static inline uint64_t times(uint64_t a, uint64_t b, uint64_t c) { return fold((zl_u128)a * b, c); }

/* a^-1 modulo 2^61 - c, by Euclid's algorithm: a division of 32 bits takes less time. */
static uint64_t inverse_of(uint64_t a, uint64_t c)
{
    uint64_t prime = low_bits + 1 - c, x = prime, y = a;
    int64_t s = 0, t = 1;
    while (x >> 32 && y) {
        uint64_t q = x / y, rest = x - q * y;
        int64_t u = s - (int64_t)q * t;
        x = y, y = rest;
        s = t, t = u;
    }
    for (uint32_t low = (uint32_t)x, less = (uint32_t)y; less;) {
        uint32_t q = low / less, rest = low - q * less;
        int64_t u = s - (int64_t)q * t;
        low = less, less = rest;
        s = t, t = u;
    }
    return s < 0 ? (uint64_t)(s + (int64_t)prime) : (uint64_t)s;
}

/* Most entries are below the primes, and those need no division. */
static inline uint64_t residue(int64_t a, uint64_t c)
{
    uint64_t prime = low_bits + 1 - c, size = zl_magnitude(a);
    if (size >> 60 == 0) return (uint64_t)a + (prime & (uint64_t)(a >> 63));
    uint64_t rest = fold(size, c);
    return a < 0 && rest ? prime - rest : rest;
}

/* ---- one prime ----------------------------------------------------------------------------- */

typedef struct pass {
    zl_cramer *z;
    uint64_t c, *t;            /* the matrix with b behind it */
    size_t width;
    bool fixed;                /* rows and columns are those of an earlier prime */
    bool pivot[ZL_CRAMER_SIDE]; /* the column is one of the minor's */
    size_t primes;             /* taken so far */
    uint16_t taken[PRIMES];
    uint64_t *digits;          /* mixed radix: a number's digits, one a prime */
    size_t needed;             /* primes, and so digits */
} pass;

/* The columns of b, their rows in the order of the pass. */
static void load_sides(pass *p)
{
    const zl_cramer *z = p->z;
    for (size_t i = 0; i < z->rows && z->more; i++) {
        uint64_t *row = p->t + i * p->width + z->cols;
        const int64_t *b = z->b + z->row[i] * z->more;
        for (size_t j = 0; j < z->more; j++) row[j] = residue(b[j], p->c);
    }
}

static void load(pass *p)
{
    const zl_cramer *z = p->z;
    for (size_t i = 0; i < z->rows; i++) {
        uint64_t *row = p->t + i * p->width;
        const int64_t *a = z->a + z->row[i] * z->cols;
        for (size_t j = 0; j < z->cols; j++) row[j] = residue(a[j], p->c);
    }
    load_sides(p);
}

static void swap_rows(pass *p, size_t i, size_t j)
{
    size_t held = p->z->row[i];
    p->z->row[i] = p->z->row[j], p->z->row[j] = held;
    for (size_t k = 0; k < p->width; k++) {
        uint64_t t = p->t[i * p->width + k];
        p->t[i * p->width + k] = p->t[j * p->width + k], p->t[j * p->width + k] = t;
    }
}

static inline void clear_below(pass *p, size_t r, size_t col, uint64_t c)
{
    const uint64_t *x = p->t + r * p->width;
    uint64_t by = x[col], prime = low_bits + 1 - c;
    for (size_t i = r + 1; i < p->z->rows; i++) {
        uint64_t *y = p->t + i * p->width, less = prime - y[col];
        for (size_t j = col + 1; j < p->width; j++)
            y[j] = fold((zl_u128)by * y[j] + (zl_u128)less * x[j], c);
    }
}

/* What elimination made of a, made of b: the factors of its steps still stand below the pivots. */
static void replay_sides(pass *p)
{
    const zl_cramer *z = p->z;
    uint64_t c = p->c, prime = low_bits + 1 - c;
    for (size_t r = 0; r < z->rank; r++) {
        const uint64_t *x = p->t + r * p->width;
        for (size_t i = r + 1; i < z->rows; i++) {
            uint64_t *y = p->t + i * p->width, by = x[z->col[r]], less = prime - y[z->col[r]];
            for (size_t j = z->cols; j < p->width; j++)
                y[j] = fold((zl_u128)by * y[j] + (zl_u128)less * x[j], c);
        }
    }
}

static size_t first_row(const pass *p, size_t r, size_t col)
{
    while (r < p->z->rows && !p->t[r * p->width + col]) r++;
    return r;
}

typedef enum outcome { TAKEN, DIVIDES, OTHER } outcome;

/* The row echelon form of the first prime: pivots, and the rows that have them. */
static void find_profile(pass *p)
{
    zl_cramer *z = p->z;
    size_t r = 0, rest = 0, others[ZL_CRAMER_SIDE];
    for (size_t col = 0; col < z->cols; col++) {
        size_t i = first_row(p, r, col);
        p->pivot[col] = i < z->rows;
        if (!p->pivot[col]) {
            others[rest++] = col;
            continue;
        }
        if (i != r) swap_rows(p, i, r);
        clear_below(p, r, col, p->c);
        z->col[r++] = col;
    }
    memcpy(z->col + r, others, rest * sizeof *others);
    z->rank = r;
    p->fixed = true;
    if (!z->pick) return;
    z->pick(z, z->picked);
    load_sides(p);
    replay_sides(p);
}

/* The same pivots modulo another prime. */
static outcome follow_profile(pass *p)
{
    zl_cramer *z = p->z;
    size_t r = 0;
    for (size_t col = 0; col < z->cols; col++) {
        if (!p->pivot[col] && first_row(p, r, col) < z->rows) return OTHER;
        if (!p->pivot[col]) continue;
        if (!p->t[r * p->width + col]) return DIVIDES;
        clear_below(p, r++, col, p->c);
    }
    return TAKEN;
}

/* What the diagonal is multiplied and divided by. */
typedef struct scale {
    uint64_t before[ZL_CRAMER_SIDE + 1]; /* products of the pivots before i */
    uint64_t invert[ZL_CRAMER_SIDE];     /* of each pivot */
    uint64_t det, radix;                 /* radix: the inverse of the product of earlier primes */
} scale;

static uint64_t pivot_at(const pass *p, size_t i)
{
    return p->t[i * p->width + p->z->col[i]];
}

static void scale_make(scale *s, const pass *p)
{
    uint64_t c = p->c, used = 1, radix = 1, after = 1;
    size_t n = p->z->rank;
    s->before[0] = 1;
    for (size_t i = 0; i < n; i++) {
        used = times(used, s->before[i], c);
        s->before[i + 1] = times(s->before[i], pivot_at(p, i), c);
    }
    for (size_t i = 0; i < p->primes; i++) radix = times(radix, (uint64_t)(p->c - p->taken[i]), c);
    uint64_t both = times(s->before[n], used, c), all = inverse_of(times(both, radix, c), c);
    uint64_t over = times(all, radix, c), whole = times(over, used, c);
    s->radix = times(all, both, c);
    s->det = times(s->before[n], times(over, s->before[n], c), c);
    for (size_t i = n; i--;) {
        s->invert[i] = times(whole, times(s->before[i], after, c), c);
        after = times(after, pivot_at(p, i), c);
    }
}

/* The column j of the echelon form, solved backwards, times the determinant. */
static void solve_column(const pass *p, const scale *s, size_t j, uint64_t *x)
{
    size_t n = p->z->rank;
    uint64_t c = p->c, prime = low_bits + 1 - c;
    for (size_t i = n; i--;) {
        const uint64_t *row = p->t + i * p->width;
        uint64_t sum = times(row[j], s->det, c);
        for (size_t l = i + 1; l < n; l++)
            sum = fold((zl_u128)(prime - row[p->z->col[l]]) * x[l] + sum, c);
        x[i] = times(sum, s->invert[i], c);
    }
}

/* ---- numbers out of residues ---------------------------------------------------------------- */

/* The next digit of a number: residue minus what the digits so far say, over the earlier
 * primes. */
static uint64_t next_digit(const pass *p, const scale *s, const uint64_t *digit, uint64_t rest)
{
    uint64_t c = p->c, prime = low_bits + 1 - c, sum = 0;
    for (size_t k = p->primes; k--;)
        sum = fold((zl_u128)sum * (uint64_t)(p->c - p->taken[k]) + digit[k], c);
    return times(rest + prime - sum, s->radix, c);
}

static void add_digits(pass *p)
{
    scale s;
    zl_cramer *z = p->z;
    uint64_t x[ZL_CRAMER_SIDE];
    scale_make(&s, p);
    p->digits[p->primes] = next_digit(p, &s, p->digits, s.det);
    for (size_t j = 0; j < z->solved; j++) {
        solve_column(p, &s, j < z->more ? z->cols + j : z->col[z->rank + j - z->more], x);
        for (size_t i = 0; i < z->rank; i++) {
            uint64_t *digit = p->digits + (1 + j * z->rank + i) * p->needed;
            digit[p->primes] = next_digit(p, &s, digit, x[i]);
        }
    }
    p->taken[p->primes++] = (uint16_t)p->c;
}

/* Horner, and the nearer to 0 of the two numbers that have these residues. */
static void number_of(const pass *p, const uint64_t *digit, const uint64_t *whole, uint64_t *out,
                      bool *negative)
{
    uint64_t other[ZL_BIG];
    size_t n = p->z->limbs;
    memset(out, 0, n * sizeof *out);
    for (size_t k = p->primes; k--;)
        zl_big_mul_1(out, out, n, low_bits + 1 - p->taken[k], digit[k]);
    zl_big_sub(other, whole, out, n);
    *negative = zl_big_cmp(out, other, n) > 0;
    if (*negative) memcpy(out, other, n * sizeof *out);
}

static void gather(const pass *p)
{
    zl_cramer *z = p->z;
    uint64_t whole[ZL_BIG] = {1};
    size_t count = 1 + z->solved * z->rank;
    for (size_t k = 0; k < p->primes; k++)
        zl_big_mul_1(whole, whole, z->limbs, low_bits + 1 - p->taken[k], 0);
    for (size_t i = 0; i < count; i++)
        number_of(p, p->digits + i * p->needed, whole, z->value + i * z->limbs, &z->negative[i]);
}

/* ---- all primes ------------------------------------------------------------------------------ */

static double squared(double x) { return x * x; }

/* Of a row of [a b], or of what pick may fill b with. */
static double squared_row(const zl_cramer *z, size_t i)
{
    double sum = 1;
    for (size_t j = 0; j < z->cols; j++) sum += squared((double)z->a[i * z->cols + j]);
    for (size_t j = 0; j < z->more; j++)
        sum += z->pick ? 0x1p8 : squared((double)z->b[i * z->more + j]);
    return sum;
}

/* The least e with x <= 2^e, x >= 1. */
static int exponent_of(double x)
{
    int exponent = 0;
    for (; x >= 0x1p32; x *= 0x1p-32) exponent += 32;
    for (; x > 1; x *= 0.5) exponent++;
    return exponent;
}

/* Hadamard: bits that no minor of [a b] has more of, its sign and one to spare included; `less`: of
 * the minors that lack a row. */
static double minor_bits(const zl_cramer *z, double *less)
{
    double product = 1, least = 0x1p200;
    int exponent = 0;
    for (size_t i = 0; i < z->rows; i++) {
        double sum = squared_row(z, i);
        if (sum < least) least = sum;
        for (product *= sum; product >= 0x1p64; product *= 0x1p-64) exponent += 64;
    }
    double bits = 2 + 0.5 * (exponent + exponent_of(product));
    *less = z->rows ? bits - 0.5 * (exponent_of(least) - 1) : bits;
    return bits;
}

static size_t columns_solved(const zl_cramer *z)
{
    size_t there = z->more + z->cols - z->rank;
    return there < z->wanted ? there : z->wanted;
}

static bool all_primes(pass *p)
{
    for (size_t i = 0; i < PRIMES && p->primes < p->needed; i++) {
        p->c = below[i];
        load(p);
        outcome v = TAKEN;
        if (p->fixed) v = follow_profile(p);
        if (v == DIVIDES) continue;
        if (v == OTHER) {
            p->primes = 0;
            load(p);
        }
        if (!p->fixed || v == OTHER) find_profile(p);
        p->z->solved = columns_solved(p->z);
        add_digits(p);
    }
    return p->primes == p->needed;
}

static zlay_status take_memory(zl_cramer *z, pass *p)
{
    size_t side = z->rows < z->cols ? z->rows : z->cols;
    size_t there = z->wanted < z->more + z->cols ? z->wanted : z->more + z->cols;
    size_t numbers = 1 + there * side, words = numbers * z->limbs;
    p->width = z->cols + z->more;
    size_t count = z->rows * p->width + numbers * p->needed + words;
    z->value = zl_scratch(z->ctx, count * sizeof(uint64_t) + numbers * sizeof(bool), 1);
    if (!z->value) return ZLAY_ENOMEM;
    p->digits = z->value + words;
    p->t = p->digits + numbers * p->needed;
    z->negative = (bool *)(p->t + z->rows * p->width);
    return ZLAY_OK;
}

zlay_status zl_cramer_solve(zl_cramer *z)
{
    pass p = {.z = z};
    double less, bits = minor_bits(z, &less);
    if (z->rows > ZL_CRAMER_SIDE || z->cols > ZL_CRAMER_SIDE) return ZLAY_EOVERFLOW;
    if (bits >= bits_most) return ZLAY_EOVERFLOW;
    p.needed = (size_t)(bits / prime_bits) + 1;
    z->limbs = (p.needed * BITS + 63) / 64;
    if (z->limbs < 2) z->limbs = 2;
    zlay_status status = take_memory(z, &p);
    if (status) return status;
    for (size_t i = 0; i < z->rows; i++) z->row[i] = i;
    if (!z->pick && zl_cramer_small(z, bits, less)) return ZLAY_OK;
    if (z->small_only || !all_primes(&p)) return ZLAY_EOVERFLOW;
    gather(&p);
    return ZLAY_OK;
}
