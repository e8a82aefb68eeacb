# SPDX-License-Identifier: Apache-2.0
"""The least of a sum of squares whose far terms count as their distance (soft L1), by Levenberg-Marquardt: for some twenty unknowns."""
import math

STEP = 1e-6   # of the difference that stands for a derivative
ENOUGH = 1e-9  # of the sum: a step that takes off less is the last
ROUNDS = 200
FAR = 1.0     # at most, of a step in each unknown


def solve(matrix, right):
    """Of a symmetric positive matrix, by Gauss."""
    size = len(right)
    rows = [row[:] + [value] for row, value in zip(matrix, right)]
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            if factor:
                rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    found = [0.0] * size
    for i in reversed(range(size)):
        found[i] = (rows[i][size] - sum(rows[i][j] * found[j] for j in range(i + 1, size))) / rows[i][i]
    return found


def total(residuals, width):
    return sum(math.sqrt(1 + (r / width) ** 2) - 1 for r in residuals)


def normal(residuals_of, x, here, width):
    """The matrix and the right side of a step, each residual weighed by what it counts at its distance."""
    weights = [1 / math.sqrt(1 + (r / width) ** 2) for r in here]
    columns = []
    for i in range(len(x)):
        there = residuals_of(x[:i] + [x[i] + STEP] + x[i + 1:])
        columns.append([(b - a) / STEP for a, b in zip(here, there)])
    weighed = [[w * c for w, c in zip(weights, column)] for column in columns]
    matrix = [[sum(map(float.__mul__, a, b)) for b in columns] for a in weighed]
    return matrix, [-sum(map(float.__mul__, a, here)) for a in weighed]


def least(residuals_of, x, width):
    """Where the sum is least, from x on; residuals beyond `width` count by their distance."""
    damping, here = 1e-3, residuals_of(x)
    sum_here = total(here, width)
    for _ in range(ROUNDS):
        matrix, right = normal(residuals_of, x, here, width)
        while damping < 1e9:
            damped = [row[:i] + [row[i] * (1 + damping) + 1e-12] + row[i + 1:] for i, row in enumerate(matrix)]
            there = [a + max(-FAR, min(FAR, b)) for a, b in zip(x, solve(damped, right))]
            residuals = residuals_of(there)
            sum_there = total(residuals, width)
            if sum_there < sum_here:
                break
            damping *= 4
        else:
            return x
        done = sum_here - sum_there < ENOUGH * sum_here
        x, here, sum_here, damping = there, residuals, sum_there, damping / 4
        if done:
            return x
    return x
