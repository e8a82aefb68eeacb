# SPDX-License-Identifier: Apache-2.0
"""How long packed sequences take, by a model of time: in which order blocks begin their tiles, and who gives them out.

    python3 tests/device/varlen_model.py [--lengths FILE] [--blocks 132] [--start 3.5] [--persistent 1.0] [--step 1.6]

A causal tile of 128 queries takes --start us and --step us for each 128 keys; a persistent block, which loads the next tile beside the
last product, --persistent us in the place of --start.  Printed is the time over that of the same work without waiting: of blocks
that the hardware gives to the first free processor, in four orders, and of persistent blocks that take every 132nd tile.
No accelerator is needed, and none is measured."""
import argparse
import heapq
import os

TILE, BESIDE, SHORT = 128, 4, 4


def steps(length):
    """Tiles of keys of each tile of queries, the last rows first."""
    return [-(-min((x + 1) * TILE, length) // TILE) for x in range(-(-length // TILE))][::-1]


def of_sequence(length, heads):
    """The numbering of the kernel (src/emit/pipe/blocks/sequences.c): heads beside each other share a tile's place."""
    beside = max(b for b in range(1, BESIDE + 1) if heads % b == 0)
    return [s for _ in range(heads // beside) for s in steps(length) for _ in range(beside)]


def by_length(lengths):
    """Those of the mean length or more, then those of a fourth of it, and so on."""
    least, most, out = -(-sum(lengths) // len(lengths)), 1 << 31, []
    while True:
        out += [x for x in lengths if least <= x < most]
        if not least:
            return out
        most, least = least, least // 4 if least // 4 >= SHORT * TILE else 0


def first_free(tiles, start, step, blocks):
    free = [0.0] * blocks
    for tile in tiles:
        heapq.heappush(free, heapq.heappop(free) + start + step * tile)
    return max(free)


def every(tiles, start, step, blocks):
    return max(sum(start + step * tile for tile in tiles[block::blocks]) for block in range(blocks))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lengths", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "sequences.txt"))
    parser.add_argument("--blocks", type=int, default=132)
    parser.add_argument("--start", type=float, default=3.5)
    parser.add_argument("--persistent", type=float, default=1.0)
    parser.add_argument("--step", type=float, default=1.6)
    o = parser.parse_args()
    print(f"{'sequences':24} {'as given':>9} {'by length':>9} {'sorted':>9} {'all tiles':>9} | {'every ' + str(o.blocks):>9} {'its us':>9} {'ours us':>9}")
    for line in open(o.lengths):
        if line.startswith("#") or not line.strip():
            continue
        head, lengths = line.split(":")
        name, heads = head.split()[0], int(head.split()[1])
        lengths = [int(x) for x in lengths.split()]
        numbered = {"given": lengths, "kernel": by_length(lengths), "sorted": sorted(lengths, reverse=True)}
        tiles = {order: [t for x in given for t in of_sequence(x, heads)] for order, given in numbered.items()}
        tiles["all"] = sorted(tiles["given"], reverse=True)
        ideal, other = (sum(start + o.step * t for t in tiles["all"]) / o.blocks for start in (o.start, o.persistent))
        times = {order: first_free(list_of, o.start, o.step, o.blocks) for order, list_of in tiles.items()}
        static = every(tiles["kernel"], o.persistent, o.step, o.blocks)
        print(f"{name + ' ' + str(heads) + ' heads':24}" + "".join(f" {times[order] / ideal:9.3f}" for order in tiles) +
              f" | {static / other:9.3f} {static:9.0f} {times['kernel']:9.0f}")


if __name__ == "__main__":
    main()
