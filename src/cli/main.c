/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: finds the command among the rows of commands.def by its words, runs it,
 * and prints help for a partial or unknown one. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *words, *arguments, *text;
    zl_command *call;
} commands[] = {
#define COMMAND(words, call, arguments, text) {words, arguments, text, call},
#include "cli/commands.def"
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* How many arguments match the words of a command, and whether those are all of its words. */
static int matches(const char *words, bool *whole, int argc, char **argv)
{
    int count = 0;
    for (; *words && count < argc; words += strspn(words, " "), count++) {
        size_t length = strcspn(words, " ");
        if (strlen(argv[count]) != length || memcmp(argv[count], words, length)) break;
        words += length;
    }
    *whole = !*words;
    return count;
}

/* The most words that any command shares with the arguments. */
static int words_known(int argc, char **argv)
{
    int most = 0;
    bool whole;
    for (size_t i = 0; i < COMMANDS; i++) {
        int count = matches(commands[i].words, &whole, argc, argv);
        if (count > most) most = count;
    }
    return most;
}

/* Whose flags a command takes. */
static int flags_of(zl_command *call)
{
    return call == zl_plan_gemm       ? ZL_OF_PLAN
           : call == zl_run_gemm      ? ZL_OF_RUN
           : call == zl_tune_gemm     ? ZL_OF_TUNE
           : call == zl_run_attention ? ZL_OF_RUN_ATTENTION
           : call == zl_tune_attention ? ZL_OF_TUNE_ATTENTION
                                       : ZL_OF_PLAN_ATTENTION;
}

/* Lists the commands that share `words` words with the arguments; their arguments tell whether
 * flags or operations are to be listed too. */
static void commands_help(FILE *out, int words, int argc, char **argv, int *flags, bool *ops)
{
    bool whole;
    for (size_t i = 0; i < COMMANDS; i++) {
        if (matches(commands[i].words, &whole, argc, argv) < words) continue;
        fprintf(out, "  zlay %s%s%s\n      %s\n", commands[i].words,
                *commands[i].arguments ? " " : "", commands[i].arguments, commands[i].text);
        if (!strcmp(commands[i].arguments, "FLAGS")) *flags |= flags_of(commands[i].call);
        if (commands[i].call == zl_batch) *ops = true;
    }
}

/* What the first argument that no command knows is most like: the next word of the commands that
 * share the words before it. */
static zl_like command_like(int words, int argc, char **argv)
{
    bool whole;
    const char *wanted = words < argc ? argv[words] : "";
    zl_like like = zl_like_begin(wanted, strlen(wanted));
    for (size_t i = 0; i < COMMANDS; i++) {
        if (matches(commands[i].words, &whole, argc, argv) < words) continue;
        const char *at = commands[i].words;
        for (int k = 0; k < words; k++) at += strcspn(at, " "), at += strspn(at, " ");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
        zl_like_offer(&like, word);
    }
    return like;
}

/* Reports arguments that are no command. */
static int no_command(int argc, char **argv)
{
    bool ops;
    int flags = 0, words = words_known(argc, argv);
    zl_like like = command_like(words, argc, argv);
    if (words) fprintf(stderr, "zlay: these commands begin with %s%s:\n", argv[0], like.hint);
    else if (argc)
        fprintf(stderr, "zlay: no command begins with %s%s; zlay --help lists them\n", argv[0],
                like.hint);
    else fputs("zlay: no command is given; zlay --help lists them\n", stderr);
    if (words) commands_help(stderr, words, argc, argv, &flags, &ops);
    return ZL_EXIT_ERROR;
}

/* Prints help for the commands that the arguments begin, or for all. */
static int help(int argc, char **argv)
{
    bool ops = false;
    int flags = 0, words = words_known(argc, argv);
    if (!words && argc && argv[0][0] != '-') return no_command(argc, argv);
    puts("zlay: GPU layouts, legality, pipelines and code, decided before anything "
         "runs\n\ncommands");
    commands_help(stdout, words, argc, argv, &flags, &ops);
    if (!words) puts("  zlay COMMAND --help\n  zlay --version\n  zlay --help");
    if (flags) puts("\nFLAGS");
    if (flags) zl_options_help(flags);
    if (ops) puts("\noperations of zlay batch: name, fields [optional fields]: answer");
    for (size_t i = 0; ops && zl_op_at(i); i++) zl_op_show(zl_op_at(i));
    puts("\nexit status: 0 yes or done; 1 no, or proved that there is none; 2 error; 3 undecided, "
         "or not run");
    return ZL_EXIT_YES;
}

static int command_run(size_t i, int argc, char **argv)
{
    zlay_ctx *ctx;
    zlay_status status = zlay_ctx_new(&ctx, NULL, NULL);
    if (status) return zl_cli_say(NULL, status, "no context");
    int exit = commands[i].call(ctx, argc, argv);
    zlay_ctx_free(ctx);
    return exit;
}

/* The exit status of what was printed; an error where not all of it could be. */
static int printed(int exit)
{
    if (!fflush(stdout) && !ferror(stdout)) return exit;
    fputs("zlay: not all of the output could be written\n", stderr);
    return ZL_EXIT_ERROR;
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return true;
    return false;
}

int main(int argc, char **argv)
{
    bool whole;
    argc--, argv++;
    if (argc && !strcmp(argv[0], "help")) return printed(help(argc - 1, argv + 1));
    if (wants_help(argc, argv)) return printed(help(argc, argv));
    if (argc == 1 && !strcmp(argv[0], "--version")) {
        printf("zlay %s, rules %u\n", zlay_version(), zlay_rules_version());
        return printed(ZL_EXIT_YES);
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        int used = matches(commands[i].words, &whole, argc, argv);
        if (whole) return printed(command_run(i, argc - used, argv + used));
    }
    return no_command(argc, argv);
}
