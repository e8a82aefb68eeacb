/* SPDX-License-Identifier: Apache-2.0 */
/* What goes on, on a terminal at standard error, once it has taken a second: how long it has taken,
 * how much is done and how long the rest takes at the same rate. Of a call of the library the rate
 * is that of limits.work, so the rest is what it takes at most. A timer's signal writes the line,
 * since a call of the library does not return before it ends; the handler calls write() alone. */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "cli/progress.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LINE = 200 };

static struct {
    const zlay_ctx *ctx; /* whose call runs, or NULL */
    const char *what;
    volatile uint64_t done, total;
    volatile uint64_t seconds;
} now;

static void put_number(zl_text *out, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    zl_put(out, digits + at, sizeof digits - at);
}

/* The rest at the rate of what is done. */
static void put_rest(zl_text *out, const char *word, uint64_t done, uint64_t total)
{
    if (!done || done > total) return;
    double rest = (double)now.seconds * ((double)total / (double)done - 1);
    if (rest > 1e6) return;
    zl_puts(out, word);
    put_number(out, (uint64_t)(rest + 0.5));
    zl_puts(out, " s left");
}

static void line_put(zl_text *out)
{
    zl_puts(out, "zlay: ");
    zl_puts(out, now.what);
    zl_puts(out, ", ");
    put_number(out, now.seconds);
    zl_puts(out, " s");
    if (now.total) {
        zl_puts(out, ", ");
        put_number(out, now.done);
        zl_puts(out, " of ");
        put_number(out, now.total);
        put_rest(out, ", about ", now.done, now.total);
    } else if (now.ctx) {
        uint64_t left = zl_work_left(now.ctx), work = zl_limits(now.ctx)->work;
        put_rest(out, ", at most ", left < work ? work - left : 0, work);
    }
    zl_puts(out, "\033[K\r");
}

static void tick(int signal)
{
    char line[LINE];
    zl_text out = {line, sizeof line, 0};
    (void)signal;
    now.seconds++;
    if (!now.what) return;
    line_put(&out);
    if (out.need <= sizeof line && write(STDERR_FILENO, line, out.need) < 0) return;
}

static void timer_set(int seconds)
{
    struct itimerval timer = {.it_interval = {seconds, 0}, .it_value = {seconds, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

void zl_progress_begin(const zlay_ctx *ctx, const char *what)
{
    struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
    static int terminal = -1; /* not asked yet */
    if (terminal < 0) terminal = isatty(STDERR_FILENO);
    if (!terminal) return;
    now.ctx = ctx;
    now.what = what;
    now.done = now.total = now.seconds = 0;
    sigemptyset(&action.sa_mask);
    if (!sigaction(SIGALRM, &action, NULL)) timer_set(1);
}

void zl_progress_count(uint64_t done, uint64_t total)
{
    now.done = done;
    now.total = total;
}

void zl_progress_end(void)
{
    static const char clear[] = "\033[K";
    if (!now.what) return;
    timer_set(0);
    now.what = NULL;
    if (now.seconds && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) return;
}
