/* Algorithm 2, the arithmetic alone: numpy_kernel.py, step by step, to the same bits.
 *
 * Floating point is plain IEEE double in the order of numpy_kernel.py: a fused multiply-add or an
 * 80-bit register would change last bits, hence -ffp-contract=off and the check below.
 */
#include <Python.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16 /* 16 widens half precision alone */
#error "doubles are not computed as doubles here: the NumPy kernel it is"
#endif

#define HALF 32
#define LOW_HALF 0xFFFFFFFFu
#define TWO_32 4294967296.0

/* Compiled once for each width of vectors, and chosen by the processor when the module is loaded: a
 * third faster. The operations are the same, and so are the bits. AddressSanitizer is not ready yet
 * when that choice is made. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && __GNUC__ >= 12 \
    && !defined(__SANITIZE_ADDRESS__)
#define CLONED __attribute__((target_clones("default", "avx2", "arch=x86-64-v4"), flatten))
#else
#define CLONED
#endif

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif
enum { CACHE_LINE = 64 };

enum { BLOCK = 128 }; /* rows at a time: what lies between two steps stays in the first cache */

/* The table's arrays in the order in which they are passed; doubles, int64s and uint64s. */
enum {
    GRID_LOW, GRID_PER_UNIT, GRID_POINTS, ATOM_START, ATOM_POINTS, ATOM_BELOW, ATOMS,
    SEARCH_ATOMS, SEARCH_BELOW, FIRST_ROW, MISSING_ROW, SLOT_START, SLOT_LOG2, THRESHOLD,
    TARGETS, WIDTHS, MONGE, ARRAYS
};
static const char TYPES[] = "ddqqqqddqqqqQQddd";
_Static_assert(sizeof(TYPES) == ARRAYS + 1, "a type for each array");

/* What a row of a stratum and a group needs. */
typedef struct {
    double low, per_unit, last;
    int64_t grid_points, atom_points, first_row, missing_row;
    const double *atoms;
    const int64_t *atom_below;
} Cell;

typedef struct {
    Py_buffer held[ARRAYS];
    const double *d[ARRAYS];
    const int64_t *q[ARRAYS];
    const uint64_t *Q[ARRAYS];
    int64_t size[ARRAYS];
    int64_t n_groups, n_cells, n_below, search_most;
    double search_per_unit, lattice;
    bool any_grid, any_atoms, missing;
    Cell *cells;
    uint64_t *slots; /* of each row: SLOT_START << 6 | SLOT_LOG2, so that a draw reads one word */
} Table;

typedef struct {
    int output; /* 's'upport, 'd'ithered or 'm'onge */
    double amount;
    int geodesic;
    uint64_t repair, dither, keep;
} Move;

static inline uint64_t mix(uint64_t bits)
{
    bits += 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return bits ^ (bits >> 31);
}

/* The upper half of a word as a double: exact, and by way of int64, which is one instruction. */
static inline double upper(uint64_t bits) { return (double)(int64_t)(bits >> HALF); }

/* NaN goes to high, as fmin does; so the cast to integers that follows is always defined. What is
 * below 0 goes by its sign bit: of a comparison compilers make a branch, and on heaped columns half
 * of those are mispredicted. */
static inline double clamped(double x, double high)
{
    int64_t bits;
    x = x < high ? x : high;
    memcpy(&bits, &x, sizeof bits);
    bits &= (int64_t)((uint64_t)bits >> 63) - 1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void on_grid(
    const Table *t, const double *x, const int32_t *cell, int n, int64_t *row, double *tau)
{
    for (int i = 0; i < n; i++) {
        const Cell *c = &t->cells[cell[i]];
        tau[i] = clamped((x[i] - c->low) * c->per_unit, c->last);
    }
    for (int i = 0; i < n; i++) {
        int64_t below = (int64_t)tau[i], last = t->cells[cell[i]].grid_points - 2;
        row[i] = below < last ? below : last;
        tau[i] -= (double)row[i];
    }
}

/* Atoms of all strata that are not above a value: a step into the buckets, then bisection. */
static void count_atoms(const Table *t, const double *x, int n, double *position, int64_t *count)
{
    const double *atoms = t->d[SEARCH_ATOMS], last = (double)(t->size[SEARCH_BELOW] - 1);
    for (int i = 0; i < n; i++)
        position[i] = clamped((x[i] - atoms[0]) * t->search_per_unit, last);
    for (int i = 0; i < n; i++)
        count[i] = t->q[SEARCH_BELOW][(int64_t)position[i]];
    for (int64_t left = t->search_most; left > 0; left /= 2) {
        int64_t half = (left + 1) / 2;
        for (int i = 0; i < n; i++)
            count[i] += -(int64_t)(atoms[count[i] + half - 1] <= x[i]) & half;
    }
}

static void on_atoms(
    const Table *t, const double *x, const int32_t *cell, int n, int64_t *row, double *tau,
    bool *as_atom)
{
    count_atoms(t, x, n, tau, row);
    for (int i = 0; i < n; i++) {
        const Cell *c = &t->cells[cell[i]];
        int64_t count = row[i] < t->n_below - 1 ? row[i] : t->n_below - 1;
        int64_t low = c->atom_below[count], top = c->atom_points - 1;
        low = low < top - 1 ? low : top - 1;
        low = low > 0 ? low : 0;
        double here = c->atoms[low], above = c->atoms[low < top ? low + 1 : low];
        double gap = above - here;
        row[i] = c->grid_points + low;
        tau[i] = gap > 0.0 ? (x[i] - here) / gap : 0.0;
        as_atom[i] = (x[i] == here) | (x[i] == above) | (c->grid_points == 0);
    }
    for (int i = 0; i < n; i++)
        tau[i] = clamped(tau[i], 1.0);
}

/* Lines 5 and 6: each value's row below, and its share of the way to the next. */
static void locate(
    const Table *t, const double *x, const int32_t *cell, int n, int64_t *row, double *tau)
{
    int64_t rows[2][BLOCK];
    double taus[2][BLOCK];
    bool as_atom[BLOCK];
    if (!t->any_atoms) {
        on_grid(t, x, cell, n, row, tau);
    } else if (!t->any_grid) {
        on_atoms(t, x, cell, n, row, tau, as_atom);
    } else {
        on_grid(t, x, cell, n, rows[0], taus[0]);
        on_atoms(t, x, cell, n, rows[1], taus[1], as_atom);
        /* Off the atoms a value belongs to the continuous rest, where there is one. */
        for (int i = 0; i < n; i++) {
            row[i] = rows[as_atom[i]][i];
            tau[i] = taus[as_atom[i]][i];
        }
    }
    for (int i = 0; i < n; i++)
        row[i] += t->cells[cell[i]].first_row;
}

static void map(
    const Table *t, const double *x, const int64_t *row, const double *tau, int n, double *moved)
{
    for (int i = 0; i < n; i++) {
        const double *mean = t->d[MONGE] + row[i];
        double here = mean[0], above = mean[tau[i] > 0.0];
        moved[i] = isnan(x[i]) ? x[i] : here + tau[i] * (above - here);
    }
}

/* Line 7, the Bernoulli split. The lower half of the hash is kept for the draw. */
static void split(
    const Table *t, const Move *m, const double *x, const int32_t *cell, const uint64_t *keys,
    const double *tau, int n, int64_t *row, uint64_t *bits)
{
    for (int i = 0; i < n; i++) {
        uint64_t hash = mix(keys[i] ^ m->repair);
        row[i] += upper(hash) < tau[i] * TWO_32;
        bits[i] = hash & LOW_HALF;
    }
    if (t->missing)
        for (int i = 0; i < n; i++)
            row[i] = isnan(x[i]) ? t->cells[cell[i]].missing_row : row[i];
}

/* Line 9: a slot of the row, which holds its own target and the one that it passes on to. By a last
 * bit and not by a branch, of which half would be mispredicted. */
static void draw(const Table *t, const int64_t *row, const uint64_t *bits, int n, int64_t *drawn)
{
    for (int i = 0; i < n; i++) {
        uint64_t slots = t->slots[row[i]];
        uint64_t scaled = bits[i] << (slots & 63);
        int64_t at = (int64_t)((slots >> 6) + (scaled >> HALF));
        drawn[i] = 2 * at + ((scaled & LOW_HALF) >= t->Q[THRESHOLD][at]);
    }
}

static void dither(
    const Table *t, const Move *m, const uint64_t *keys, const int64_t *drawn, int n, double *moved)
{
    for (int i = 0; i < n; i++) {
        double width = t->d[WIDTHS][drawn[i]];
        double offset = (upper(mix(keys[i] ^ m->dither)) + 0.5) / TWO_32 - 0.5;
        moved[i] += t->lattice == 0.0 ? offset * width
                                      : rint(offset * (width / t->lattice)) * t->lattice;
    }
}

static void part_of_the_way(
    const Move *m, const double *x, const uint64_t *keys, int n, double *moved)
{
    if (m->geodesic)
        for (int i = 0; i < n; i++)
            moved[i] = (1.0 - m->amount) * x[i] + m->amount * moved[i];
    else
        for (int i = 0; i < n; i++)
            moved[i] = upper(mix(keys[i] ^ m->keep)) >= m->amount * TWO_32 ? x[i] : moved[i];
}

CLONED static void repair_block(
    const Table *t, const Move *m, const double *x, const int32_t *cell, const uint64_t *keys,
    int n, double *restrict moved)
{
    int64_t row[BLOCK], drawn[BLOCK];
    uint64_t bits[BLOCK];
    double tau[BLOCK];
    locate(t, x, cell, n, row, tau);
    if (m->output == 'm') {
        map(t, x, row, tau, n, moved);
    } else {
        split(t, m, x, cell, keys, tau, n, row, bits);
        draw(t, row, bits, n, drawn);
        for (int i = 0; i < n; i++)
            moved[i] = t->d[TARGETS][drawn[i]];
        if (m->output == 'd')
            dither(t, m, keys, drawn, n, moved);
        if (!t->missing)
            for (int i = 0; i < n; i++)
                moved[i] = isnan(x[i]) ? x[i] : moved[i];
    }
    if (m->amount < 1.0)
        part_of_the_way(m, x, keys, n, moved);
}

/* Copy a block's cells, and tell whether all of them exist. All are looked at before that is judged:
 * a loop that may end early is not vectorised, nor is one whose output may lie over its input. */
CLONED static bool read_cells(
    const void *cells, bool wide, int64_t start, int n, int64_t n_cells, int32_t *restrict cell)
{
    const uint64_t *words = wide ? (const uint64_t *)cells + start : NULL;
    const uint32_t *halves = wide ? NULL : (const uint32_t *)cells + start;
    uint64_t beyond = 0;
    if (wide)
        for (int i = 0; i < n; i++) {
            beyond |= words[i] >= (uint64_t)n_cells;
            cell[i] = (int32_t)words[i];
        }
    else
        for (int i = 0; i < n; i++) {
            beyond |= halves[i] >= (uint64_t)n_cells;
            cell[i] = (int32_t)halves[i];
        }
    return !beyond;
}

static int64_t first_beyond(const void *cells, bool wide, int64_t start, int64_t n_cells)
{
    for (int64_t i = start;; i++)
        if ((wide ? ((const uint64_t *)cells)[i] : ((const uint32_t *)cells)[i])
            >= (uint64_t)n_cells)
            return i;
}

/* Have a block on its way from memory two blocks before it is read. Short stretches of three arrays
 * in turn are nothing that a processor foresees: it would wait for a third of its time. */
static void fetch(const double *x, const void *cells, bool wide, const uint64_t *keys, int64_t start)
{
    int step = CACHE_LINE / 8;
    for (int64_t i = start; i < start + BLOCK; i += step) {
        PREFETCH(x + i);
        PREFETCH(keys + i);
        PREFETCH((const char *)cells + i * (wide ? 8 : 4));
    }
}

/* Repair all rows; or return the number of the first whose cell does not exist, and -1 for none. */
static int64_t repair_rows(
    const Table *t, const Move *m, const double *x, const void *cells, bool wide,
    const uint64_t *keys, int64_t n, double *moved)
{
    int32_t cell[BLOCK];
    for (int64_t start = 0; start < n; start += BLOCK) {
        int rows = n - start < BLOCK ? (int)(n - start) : BLOCK;
        if (n - start >= 3 * BLOCK)
            fetch(x, cells, wide, keys, start + 2 * BLOCK);
        if (!read_cells(cells, wide, start, rows, t->n_cells, cell))
            return first_beyond(cells, wide, start, t->n_cells);
        repair_block(t, m, x + start, cell, keys + start, rows, moved + start);
    }
    return -1;
}

