/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/zlay.h - all of libzlay, in the order in which it is best read. */
#ifndef ZLAY_ZLAY_H
#define ZLAY_ZLAY_H

/* What all share. */
#include <zlay/base.h>
#include <zlay/version.h>

/* Layouts: values, operations, decisions. */
#include <zlay/layout.h>
#include <zlay/cute.h>
#include <zlay/f2.h>
#include <zlay/pieces.h>
#include <zlay/decide.h>
#include <zlay/symbol.h>
#include <zlay/structure.h>
#include <zlay/hier.h>
#include <zlay/zmat.h>

/* Numbers: what is known of them, divisions. */
#include <zlay/facts.h>
#include <zlay/radix.h>

/* Targets, element types, rules and verdicts. */
#include <zlay/target.h>
#include <zlay/type.h>
#include <zlay/machine.h>
#include <zlay/rule.h>
#include <zlay/instruction.h>

/* Rules: may the hardware do it?  Maps, copies, barriers, blocks. */
#include <zlay/tensormap.h>
#include <zlay/tensormap_driver.h>
#include <zlay/tensormap_bits.h>
#include <zlay/fill.h>
#include <zlay/copy.h>
#include <zlay/replace.h>
#include <zlay/barrier.h>
#include <zlay/block.h>

/* Rules: matrix instructions, their descriptors and registers, tensor memory. */
#include <zlay/mma.h>
#include <zlay/smemdesc.h>
#include <zlay/idesc.h>
#include <zlay/fragment.h>
#include <zlay/tmem.h>

/* Rules: banks of shared memory; of gfx targets buffers, counters, wait states. */
#include <zlay/bank.h>
#include <zlay/buffer.h>
#include <zlay/direct.h>
#include <zlay/tdm.h>
#include <zlay/waitcnt.h>
#include <zlay/hazard.h>

/* Synthesis: what moves it. */
#include <zlay/move.h>
#include <zlay/tensormap_synth.h>
#include <zlay/copy_synth.h>
#include <zlay/swizzle.h>
#include <zlay/smemdesc_synth.h>
#include <zlay/word.h>
#include <zlay/factor.h>
#include <zlay/normal.h>
#include <zlay/convert.h>
#include <zlay/transfer.h>
#include <zlay/cluster.h>
#include <zlay/ragged.h>
#include <zlay/pool.h>
#include <zlay/choose.h>
#include <zlay/tmem_pack.h>
#include <zlay/places.h>
#include <zlay/wave.h>
#include <zlay/region.h>
#include <zlay/tiling.h>
#include <zlay/variants.h>
#include <zlay/io.h>
#include <zlay/plan.h>
#include <zlay/candidates.h>

/* A model of the hardware. */
#include <zlay/sim.h>
#include <zlay/sim_body.h>

/* Bodies: what threads compute between the events of a pipe. */
#include <zlay/body.h>

/* Pipes: when. */
#include <zlay/pipe.h>
#include <zlay/pipe_build.h>
#include <zlay/pipe_fences.h>
#include <zlay/pipe_tmem.h>
#include <zlay/pipe_cost.h>
#include <zlay/schedule.h>

/* How stages lie, what fills them, which barriers tell of it. */
#include <zlay/stage.h>

/* Attention: a pipe with bodies and its tensor maps. */
#include <zlay/attention.h>
#include <zlay/roles.h>

/* Kernels of plans: how long they run. */
#include <zlay/kernel_cost.h>

/* Few vectors by weights of 4 or 8 bits: the same. */
#include <zlay/weights.h>
#include <zlay/tuning.h>

/* Text: kernels, headers, functions. */
#include <zlay/emit.h>
#include <zlay/emit_pipe.h>
#include <zlay/emit_function.h>
#include <zlay/emit_ragged.h>

/* Pictures. */
#include <zlay/show.h>
#include <zlay/show_hardware.h>
#include <zlay/show_fragment.h>
#include <zlay/show_pipe.h>
#include <zlay/show_ragged.h>
#include <zlay/show_schedule.h>
#include <zlay/show_places.h>

#endif
