# SPDX-License-Identifier: Apache-2.0
"""How long packed sequences take, by a model of time: in which order blocks begin their tiles, and who gives them out.

    python3 tests/device/peers/varlen_model.py [--lengths FILE] [--blocks 132] [--start 3.5] [--persistent 1.0] [--step 1.6]

A causal tile of 128 queries takes --start us and --step us for each 128 keys; a persistent block, which loads the next tile beside the
last product, --persistent us in the place of --start.  Printed are times in us: of a block for each tile, which the hardware gives to the
first free processor, in the array's order and in the kernel's; of persistent blocks that take every 132nd tile; that claim
the next tile when they begin one, as the kernel does, in both orders; and of the same work without waiting.
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


def one_ahead(tiles, start, step, blocks):
    """A block claims its next tile when it begins one."""
    claims = iter(tiles[blocks:])
    free, end = [(0.0, block, tile) for block, tile in enumerate(tiles[:blocks])], 0.0
    while free:
        begin, block, tile = heapq.heappop(free)
        following, ready = next(claims, None), begin + start + step * tile
        end = max(end, ready)
        if following is not None:
            heapq.heappush(free, (ready, block, following))
    return end


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
    print(f"{'sequences':22} {'a block a tile':>15} {'by length':>10} {'every ' + str(o.blocks):>10} {'claimed':>10} {'by length':>10} {'no waiting':>10}")
    for line in open(o.lengths):
        if line.startswith("#") or not line.strip():
            continue
        head, lengths = line.split(":")
        name, heads = head.split()[0], int(head.split()[1])
        lengths = [int(x) for x in lengths.split()]
        given, ours = ([t for x in order for t in of_sequence(x, heads)] for order in (lengths, by_length(lengths)))
        times = [first_free(tiles, o.start, o.step, o.blocks) for tiles in (given, ours)] + [every(ours, o.persistent, o.step, o.blocks)]
        times += [one_ahead(tiles, o.persistent, o.step, o.blocks) for tiles in (given, ours)]
        times.append(sum(o.persistent + o.step * tile for tile in ours) / o.blocks)
        print(f"{name + ' ' + str(heads) + ' heads':22} {times[0]:15.0f}" + "".join(f" {time:10.0f}" for time in times[1:]))


if __name__ == "__main__":
    main()
