/* The door from Python to Algorithm 2 in C: one function, repair().
 *
 * It checks types, sizes and every index that the table holds before it lets go of the
 * interpreter's lock. Of what the rows bring, a cell is checked when it is read, and any float is
 * a value: so nothing here is undefined, whatever comes in.
 */
#define Py_LIMITED_API 0x030B0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "_algorithm2.h"

/* Raise it with any change of what repair() takes: builds of another layout are left alone. */
#define LAYOUT 2

/* Take a contiguous buffer of 8-byte numbers, or of the 4-byte integers that cells may be. */
static bool take(PyObject *array, char type, int flags, Py_buffer *view)
{
    if (PyObject_GetBuffer(array, view, flags | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return false;
    const char *said = view->format ? view->format : "B";
    const char *fit = type == 'd' ? "d" : type == 'Q' ? "QL" : type == 'q' ? "ql" : "i";
    Py_ssize_t width = type == 'i' ? 4 : 8;
    bool aligned = (uintptr_t)view->buf % (size_t)width == 0;
    if (!aligned || said[0] == '\0' || said[1] != '\0' || !strchr(fit, said[0]) || view->itemsize != width) {
        PyErr_Format(PyExc_TypeError, "an array is of type '%s' or not aligned, not '%c'", said, type);
        PyBuffer_Release(view);
        return false;
    }
    return true;
}

static bool all_within(const int64_t *index, int64_t n, int64_t low, int64_t high)
{
    for (int64_t i = 0; i < n; i++)
        if (index[i] < low || index[i] > high)
            return false;
    return true;
}

static bool sizes_agree(const Table *t)
{
    const int64_t *n = t->size, strata = n[GRID_LOW], rows = n[SLOT_START], slots = n[THRESHOLD];
    return t->n_groups > 0 && strata > 0 && n[GRID_PER_UNIT] == strata && n[GRID_POINTS] == strata
        && n[ATOM_START] == strata && n[ATOM_POINTS] == strata
        && n[ATOM_BELOW] % strata == 0 && n[ATOM_BELOW] > 0
        && n[SEARCH_BELOW] > 0 && n[SEARCH_ATOMS] > 0 && t->search_most >= 0
        && n[FIRST_ROW] % strata == 0 && n[FIRST_ROW] / strata == t->n_groups
        && (n[MISSING_ROW] == 0 || n[MISSING_ROW] == n[FIRST_ROW]) && n[FIRST_ROW] <= INT32_MAX
        && n[SLOT_LOG2] == rows && n[MONGE] == rows
        && n[TARGETS] / 2 == slots && n[TARGETS] % 2 == 0 && n[WIDTHS] == n[TARGETS];
}

static bool stratum_fits(const Table *t, int64_t s)
{
    int64_t grid = t->q[GRID_POINTS][s], atoms = t->q[ATOM_POINTS][s], at = t->q[ATOM_START][s];
    int64_t rows = t->size[SLOT_START];
    if (grid < 0 || grid == 1 || grid > rows || atoms < 0 || atoms > rows || grid + atoms == 0)
        return false;
    if (at < 0 || at > t->size[ATOMS] || atoms > t->size[ATOMS] - at || grid + atoms > rows)
        return false;
    return all_within(t->q[FIRST_ROW] + s * t->n_groups, t->n_groups, 0, rows - grid - atoms);
}

static bool indices_fit(const Table *t)
{
    int64_t rows = t->size[SLOT_START], slots = t->size[THRESHOLD];
    for (int64_t s = 0; s < t->size[GRID_LOW]; s++)
        if (!stratum_fits(t, s))
            return false;
    for (int64_t r = 0; r < rows; r++) {
        uint64_t log2 = t->Q[SLOT_LOG2][r];
        int64_t start = t->q[SLOT_START][r];
        if (log2 > HALF || start < 0 || start > slots - ((int64_t)1 << log2))
            return false;
    }
    int64_t last = t->size[SEARCH_ATOMS] - t->search_most; /* a search goes on from its bucket */
    return all_within(t->q[SEARCH_BELOW], t->size[SEARCH_BELOW], 0, last)
        && all_within(t->q[MISSING_ROW], t->size[MISSING_ROW], 0, rows - 1);
}

static const double NO_ATOM = NAN; /* which no value equals */

static bool make_cells(Table *t)
{
    t->cells = malloc((size_t)t->n_cells * sizeof(Cell));
    if (!t->cells)
        return false;
    for (int64_t i = 0; i < t->n_cells; i++) {
        int64_t s = i / t->n_groups;
        t->cells[i] = (Cell){
            .low = t->d[GRID_LOW][s],
            .per_unit = t->d[GRID_PER_UNIT][s],
            .last = (double)(t->q[GRID_POINTS][s] - 1),
            .grid_points = t->q[GRID_POINTS][s],
            .atom_points = t->q[ATOM_POINTS][s],
            .first_row = t->q[FIRST_ROW][i],
            .missing_row = t->missing ? t->q[MISSING_ROW][i] : 0,
            .atoms = t->q[ATOM_POINTS][s] ? t->d[ATOMS] + t->q[ATOM_START][s] : &NO_ATOM,
            .atom_below = t->q[ATOM_BELOW] + s * t->n_below,
        };
        t->any_grid |= t->cells[i].grid_points > 0;
        t->any_atoms |= t->cells[i].atom_points > 0;
    }
    return true;
}

static bool make_slots(Table *t)
{
    int64_t rows = t->size[SLOT_START];
    t->slots = malloc((size_t)(rows + 1) * sizeof *t->slots); /* 0 bytes may be NULL, too */
    if (!t->slots)
        return false;
    for (int64_t r = 0; r < rows; r++)
        t->slots[r] = (uint64_t)t->q[SLOT_START][r] << 6 | t->Q[SLOT_LOG2][r];
    return true;
}

static void release(Table *t, int held)
{
    while (held > 0)
        PyBuffer_Release(&t->held[--held]);
    free(t->cells);
    free(t->slots);
}

static bool read_table(PyObject *arrays, Table *t)
{
    if (!PyTuple_Check(arrays) || PyTuple_Size(arrays) != ARRAYS) {
        PyErr_Format(PyExc_TypeError, "a table is a tuple of %d arrays", ARRAYS);
        return false;
    }
    for (int i = 0; i < ARRAYS; i++) {
        if (!take(PyTuple_GetItem(arrays, i), TYPES[i], 0, &t->held[i])) {
            release(t, i);
            return false;
        }
        t->d[i] = t->held[i].buf;
        t->q[i] = t->held[i].buf;
        t->Q[i] = t->held[i].buf;
        t->size[i] = t->held[i].len / 8;
    }
    t->n_cells = t->size[FIRST_ROW];
    t->n_below = t->size[GRID_LOW] ? t->size[ATOM_BELOW] / t->size[GRID_LOW] : 0;
    t->missing = t->size[MISSING_ROW] > 0;
    if (!sizes_agree(t) || !indices_fit(t))
        PyErr_SetString(PyExc_ValueError, "the arrays of the table do not fit together");
    else if (make_cells(t) && make_slots(t))
        return true;
    else
        PyErr_NoMemory();
    release(t, ARRAYS);
    return false;
}

/* The repaired values are written while others are read: they may not lie over each other. */
static bool apart(const Py_buffer *view)
{
    const char *from = view[0].buf, *to = from + view[0].len;
    for (int i = 1; i < 4; i++) {
        const char *other = view[i].buf;
        if (other < to && from < other + view[i].len)
            return false;
    }
    return true;
}

static PyObject *repair_views(const Table *t, const Move *m, Py_buffer *view, bool wide)
{
    Py_ssize_t n = view[0].len / 8;
    int64_t wrong = -1;
    if (view[1].len / 8 != n || view[2].len / (wide ? 8 : 4) != n || view[3].len / 8 != n)
        return PyErr_Format(PyExc_ValueError, "values, cells and keys are not of one length");
    if (!apart(view))
        return PyErr_Format(PyExc_ValueError, "the repaired values lie over what is read");
    Py_BEGIN_ALLOW_THREADS
    wrong = repair_rows(t, m, view[1].buf, view[2].buf, wide, view[3].buf, n, view[0].buf);
    Py_END_ALLOW_THREADS
    if (wrong >= 0)
        return PyErr_Format(PyExc_IndexError, "row %lld is in no cell", (long long)wrong);
    Py_RETURN_NONE;
}

static bool is_narrow(PyObject *cells)
{
    Py_buffer view;
    if (PyObject_GetBuffer(cells, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        PyErr_Clear();
        return false;
    }
    bool narrow = view.itemsize == 4;
    PyBuffer_Release(&view);
    return narrow;
}

static PyObject *repair(PyObject *module, PyObject *args)
{
    PyObject *array[4], *arrays, *result = NULL;
    Py_buffer view[4];
    Table t = {.cells = NULL, .slots = NULL};
    Move m;
    long long n_groups, most;
    unsigned long long draws[3];
    int taken = 0;
    (void)module;
    if (!PyArg_ParseTuple(
            args, "OOOOO(LLdd)(Cdp)(KKK):repair", &array[0], &array[1], &array[2], &array[3],
            &arrays, &n_groups, &most, &t.search_per_unit, &t.lattice, &m.output, &m.amount,
            &m.geodesic, &draws[0], &draws[1], &draws[2]))
        return NULL;
    t.n_groups = n_groups, t.search_most = most;
    m.repair = draws[0], m.dither = draws[1], m.keep = draws[2];
    bool wide = !is_narrow(array[2]);
    const char types[4] = {'d', 'd', wide ? 'q' : 'i', 'Q'};
    for (; taken < 4; taken++)
        if (!take(array[taken], types[taken], taken ? 0 : PyBUF_WRITABLE, &view[taken]))
            break;
    if (taken == 4 && read_table(arrays, &t)) {
        result = repair_views(&t, &m, view, wide);
        release(&t, ARRAYS);
    }
    while (taken > 0)
        PyBuffer_Release(&view[--taken]);
    return result;
}

static int add_layout(PyObject *module) { return PyModule_AddIntConstant(module, "LAYOUT", LAYOUT); }

static PyMethodDef METHODS[] = {
    {"repair", repair, METH_VARARGS, "Repair one feature's values; see _accelerator.pyi."},
    {NULL, NULL, 0, NULL},
};
static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, add_layout}, {0, NULL}};
static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_accelerator", "Algorithm 2 in C.", 0, METHODS, SLOTS, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__accelerator(void) { return PyModuleDef_Init(&MODULE); }
