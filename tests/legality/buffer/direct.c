/* SPDX-License-Identifier: Apache-2.0 */
/* Where loads to shared memory land, as the sources have it, written here again; what LDS is allocated in. */
#define _POSIX_C_SOURCE 200809L
#include "legality.h"

#include <stdlib.h>
#include <unistd.h>

static zlay_direct_place lands(const char *on, zlay_direct load)
{
    zlay_direct_place p;
    assert_int_equal(zlay_direct_lands(&p, target_of(on), &load), ZLAY_OK);
    return p;
}

static void the_header_says(void **state)
{
    (void)state;
    uint32_t m0 = 0;
    zlay_direct load = {.bytes = 16, .m0 = 1024, .offset = 32};
    zlay_direct_place p = lands("gfx950", load);
    assert_true(p.answer == ZLAY_YES && p.first == 1056 && p.stride == 16 && p.width == 16 && p.source && !p.gap);
    assert_int_equal(zlay_direct_m0(&m0, target_of("gfx950"), &load, 1024), ZLAY_OK);
    assert_int_equal(m0, 992);
    load.bytes = 2;
    p = lands("gfx90a", load);
    assert_true(p.stride == 4 && p.width == 4);
    load.bytes = 12;
    p = lands("gfx950", load);
    assert_true(p.answer == ZLAY_UNDECIDED && p.gap && !p.source);
}

/* A load of so many bytes is there exactly where its instruction is. */
static void widths_are_those_of_the_instructions(void **state)
{
    (void)state;
    static const struct {
        uint32_t bytes;
        const char *form;
    } rows[] = {{1, "buffer_load_lds_ubyte"}, {2, "buffer_load_lds_ushort"}, {4, "buffer_load_lds_dword"},
                {12, "buffer_load_lds_dwordx3"}, {16, "buffer_load_lds_dwordx4"}};
    const zlay_target *on;
    for (size_t t = 0; (on = zlay_target_nth(t)) != NULL; t++)
        for (size_t i = 0; i < 5; i++) {
            zlay_direct load = {.bytes = rows[i].bytes};
            zlay_direct_place p;
            zlay_verdict v;
            zlay_instruction asked = {.count = 0};
            assert_int_equal(zlay_instruction_find(&asked.form, rows[i].form, strlen(rows[i].form)), ZLAY_OK);
            assert_int_equal(zlay_instruction_check(&v, NULL, 0, on, &asked), ZLAY_OK);
            assert_int_equal(zlay_direct_lands(&p, on, &load) == ZLAY_OK, v.answer == ZLAY_YES);
        }
}

/* Widths as two assemblers take them: 1, 2, 4 everywhere, 12 and 16 on gfx950, 8 nowhere. */
static void widths(void **state)
{
    (void)state;
    static const char *const on[] = {"gfx90a", "gfx942", "gfx950"};
    zlay_direct_place p;
    for (int t = 0; t < 3; t++)
        for (uint32_t bytes = 0; bytes < 80; bytes++) {
            zlay_direct load = {.form = ZLAY_DIRECT_GLOBAL, .bytes = bytes};
            bool small = bytes == 1 || bytes == 2 || bytes == 4, wide = t == 2 && (bytes == 12 || bytes == 16);
            assert_int_equal(zlay_direct_lands(&p, target_of(on[t]), &load), small || wide ? ZLAY_OK : ZLAY_EINVAL);
        }
    zlay_direct load = {.bytes = 4};
    assert_int_equal(zlay_direct_lands(&p, target_of("sm_90a"), &load), ZLAY_ENOTSUP);
    assert_int_equal(zlay_direct_lands(&p, target_of("gfx1250"), &load), ZLAY_ENOTSUP);
    load.form = 2;
    assert_int_equal(zlay_direct_lands(&p, target_of("gfx942"), &load), ZLAY_EINVAL);
    load.form = -1;
    assert_int_equal(zlay_direct_lands(&p, target_of("gfx942"), &load), ZLAY_EINVAL);
    load.form = 0, load.reserved[1] = 1;
    assert_int_equal(zlay_direct_lands(&p, target_of("gfx942"), &load), ZLAY_EINVAL);
    assert_int_equal(zlay_direct_lands(NULL, target_of("gfx942"), &load), ZLAY_EINVAL);
}

/* M0 that is found lands where it was asked for; where none is found none of all its values does. */
static void m0_is_found_where_there_is_one(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/direct"), none = 0;
    for (uint64_t n = 0; n < test_iterations(2000); n++) {
        zlay_direct load = {.form = (int32_t)test_range(&seed, 0, 1), .bytes = 4, .offset = (int32_t)test_range(&seed, -4096, 4095)};
        uint32_t first = (uint32_t)test_range(&seed, 0, n % 2 ? 4096 : 1 << 19), m0;
        zlay_status status = zlay_direct_m0(&m0, target_of("gfx942"), &load, first);
        load.m0 = status ? 0 : m0;
        if (!status) assert_int_equal(lands("gfx942", load).first, first);
        if (!status) continue;
        assert_int_equal(status, ZLAY_NONE);
        none++;
        for (uint32_t m = 0; m < 1u << 18; m += 4) {
            load.m0 = m;
            if (lands("gfx942", load).first == (int64_t)first) fail_msg("M0 %u lands there", (unsigned)m);
            if (n % 50) m += 4 * 61;
        }
    }
    assert_true(none > 100);
}

/* ---- granules -------------------------------------------------------------------------------- */

/* LDS_SIZE, bits 15 on of COMPUTE_PGM_RSRC2 (register 47180), of a kernel with so many bytes. */
static unsigned blocks_of(const char *cpu, uint32_t bytes)
{
    char path[] = "/tmp/zlay-lds-XXXXXX", command[160], line[128];
    unsigned value = 0, before = 0, found = 0;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file, "@l = internal addrspace(3) global [%u x i8] undef, align 4\ndefine amdgpu_kernel void @k(i32 %%i) {\n"
                  "%%p = getelementptr [%u x i8], ptr addrspace(3) @l, i32 0, i32 %%i\nstore volatile i8 1, ptr addrspace(3) %%p\n"
                  "ret void\n}\n", (unsigned)bytes, (unsigned)bytes);
    fclose(file);
    snprintf(command, sizeof command, "llc-22 -mtriple=amdgcn-- -mcpu=%s %s -o -", cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, " .long %u", &value) != 1) continue;
        if (before == 47180 && !found) found = value >> 15 & 0x1ff;
        before = value;
    }
    pclose(pipe);
    remove(path);
    return found;
}

static void granules_are_what_llvm_counts_in(void **state)
{
    (void)state;
    static const char *const on[] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};
    if (system("command -v llc-22 >/dev/null 2>&1")) {
        printf("SKIPPED: no llc-22 on this machine: granules of LDS were compared with nothing\n");
        skip();
    }
    for (int t = 0; t < 4; t++) {
        zlay_target_summary info;
        assert_int_equal(zlay_target_info(&info, target_of(on[t])), ZLAY_OK);
        assert_int_equal(blocks_of(on[t], info.smem_granule), 1);
        assert_int_equal(blocks_of(on[t], info.smem_granule + 1), 2);
        assert_int_equal(info.smem % info.smem_granule, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says),
        cmocka_unit_test(widths),
        cmocka_unit_test(widths_are_those_of_the_instructions),
        cmocka_unit_test(granules_are_what_llvm_counts_in),
        cmocka_unit_test(m0_is_found_where_there_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
