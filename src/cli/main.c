/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"
#include "json/ops.h"

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

static int help(void)
{
    puts("zlay: GPU layouts, legality, pipelines and code, decided before anything "
         "runs\n\ncommands");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  zlay %s%s%s\n      %s\n", commands[i].words, *commands[i].arguments ? " " : "",
               commands[i].arguments, commands[i].text);
    puts("  zlay --version\n  zlay --help\n\nFLAGS");
    zl_options_help();
    puts("\noperations of zlay batch: name, fields [optional fields]: answer");
    for (size_t i = 0; zl_op_at(i); i++) {
        const zl_op *op = zl_op_at(i);
        printf("  %s  %s%s%s%s: %s\n      %s\n", op->name, op->required, *op->optional ? " [" : "",
               op->optional, *op->optional ? "]" : "", op->ok, op->text);
    }
    puts("\nexit status: 0 yes or done; 1 no, or proved that there is none; 2 error; 3 undecided, "
         "or not run");
    return ZL_EXIT_YES;
}

/* How many arguments the words of a command match; 0: it is another. */
static int matches(const char *words, int argc, char **argv)
{
    int count = 0;
    for (const char *at = words; *at; at += strspn(at, " "), count++) {
        size_t length = strcspn(at, " ");
        if (count >= argc || strlen(argv[count]) != length || memcmp(argv[count], at, length))
            return 0;
        at += length;
    }
    return count;
}

static int command_run(size_t i, int argc, char **argv)
{
    zlay_ctx *ctx;
    zlay_status status = zlay_ctx_new(&ctx, NULL, NULL);
    if (status) return zl_say(NULL, status, "no context");
    int exit = commands[i].call(ctx, argc, argv);
    zlay_ctx_free(ctx);
    if (fflush(stdout) || ferror(stdout)) return ZL_EXIT_ERROR;
    return exit;
}

static int wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return 1;
    return 0;
}

int main(int argc, char **argv)
{
    argc--, argv++;
    if (wants_help(argc, argv)) return help();
    if (argc == 1 && !strcmp(argv[0], "--version")) {
        printf("zlay %s, rules %u\n", zlay_version(), zlay_rules_version());
        return ZL_EXIT_YES;
    }
    for (size_t i = 0; i < COMMANDS; i++) {
        int used = matches(commands[i].words, argc, argv);
        if (used) return command_run(i, argc - used, argv + used);
    }
    fprintf(stderr, "zlay: %s%s; zlay --help lists them\n",
            argc ? "no command begins with " : "no command is given", argc ? argv[0] : "");
    return ZL_EXIT_ERROR;
}
