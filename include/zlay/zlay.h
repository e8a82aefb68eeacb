/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/zlay.h - all of libzlay. */
#ifndef ZLAY_ZLAY_H
#define ZLAY_ZLAY_H

#include <zlay/algebra.h>
#include <zlay/base.h>
#include <zlay/cute.h>
#include <zlay/decide.h>
#include <zlay/emit.h>
#include <zlay/emit_pipe.h>
#include <zlay/f2.h>
#include <zlay/factor.h>
#include <zlay/facts.h>
#include <zlay/fragment.h>
#include <zlay/hazard.h>
#include <zlay/hier.h>
#include <zlay/instruction.h>
#include <zlay/bank.h>
#include <zlay/barrier.h>
#include <zlay/block.h>
#include <zlay/buffer.h>
#include <zlay/tdm.h>
#include <zlay/cluster.h>
#include <zlay/convert.h>
#include <zlay/copy.h>
#include <zlay/direct.h>
#include <zlay/idesc.h>
#include <zlay/legality.h>
#include <zlay/mma.h>
#include <zlay/move.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>
#include <zlay/tmem.h>
#include <zlay/tmem_pack.h>
#include <zlay/tensormap_bits.h>
#include <zlay/tensormap_synth.h>
#include <zlay/pieces.h>
#include <zlay/pipe.h>
#include <zlay/pipe_build.h>
#include <zlay/pipe_fences.h>
#include <zlay/pipe_tmem.h>
#include <zlay/radix.h>
#include <zlay/replace.h>
#include <zlay/sim.h>
#include <zlay/symbol.h>
#include <zlay/structure.h>
#include <zlay/swizzle.h>
#include <zlay/synth.h>
#include <zlay/transfer.h>
#include <zlay/wave_gemm.h>
#include <zlay/version.h>
#include <zlay/waitcnt.h>
#include <zlay/wave.h>
#include <zlay/zmat.h>

#endif
