// SPDX-License-Identifier: GPL-2.0
/* A picture of a ring: the circle with its owners, and what each of them has of
 * what it should and may have.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "names.h"
#include "offline.h"
#include "parse.h"
#include "state.h"

#include <linux/flowring.h>

/* The circle is drawn in at most 2^12 pieces */
#define FR_DRAW_BITS	12	/* All in pixels */
#define FR_DRAW_WIDTH	1040
#define FR_DRAW_TOP	88
#define FR_DRAW_RADIUS	170
#define FR_DRAW_THICK	64
#define FR_DRAW_CX	240
#define FR_DRAW_BARS	480	/* left end of the bars' names */
#define FR_DRAW_NAME	110	/* room for a name */
#define FR_DRAW_BAR	310	/* the longest bar */
#define FR_DRAW_TALL	420	/* all bars together, unless there are few */
#define FR_DRAW_ROW	26	/* at most for one bar */
#define FR_DRAW_LABEL	12	/* at least for one bar with its name */
#define FR_DRAW_ROWS	420	/* bars at most */

/**
 * struct picture - A picture in the making.
 * @out: Where it goes.
 * @ring: The ring.
 * @table: Its slots.
 * @weights: Sum of the weights of the backends that can own slots.
 * @per: Backends for each bar: more than one when there are very many.
 * @rows: Number of bars.
 * @row: Height of a bar and the space below it.
 * @most: Slots of the longest bar.
 */
struct picture {
	FILE *out;
	const struct fr_doc_ring *ring;
	const struct fr_table *table;
	double weights;
	size_t per;
	size_t rows;
	double row;
	double most;
};

static uint32_t usable_weight(const struct fr_doc_backend *b)
{
	return b->state == FLOWRING_STATE_UP ? b->weight : 0;
}

/* Slots that a backend should have by its weight */
static double part(const struct picture *p, size_t i)
{
	if (!p->weights)
		return 0;
	return usable_weight(&p->ring->backends[i]) / p->weights *
	       (1U << p->table->bits);
}

static double percent(const struct picture *p, double slots)
{
	return 100 * slots / (1U << p->table->bits);
}

static void put_text(FILE *out, const char *str, size_t max)
{
	size_t n;

	for (n = 0; *str && n < max; str++, n++) {
		switch (*str) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		default:
			fputc(*str, out);
		}
	}
	if (*str)
		fputs("&#8230;", out);
}

/* One of the three parts of a colour of full saturation, 0 to 1 */
static double hue_part(double hue)
{
	while (hue >= 6)
		hue -= 6;
	if (hue < 1)
		return hue;
	if (hue < 3)
		return 1;
	return hue < 4 ? 4 - hue : 0;
}

/* A colour that differs from those of its neighbours in the order of names */
static void put_colour(FILE *out, size_t i)
{
	static const char *const first[] = {
		"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
		"#d55e00", "#8c6bb1", "#b2a300", "#7f7f7f", "#a6542b",
	};
	static const double low[] = { 0.25, 0.45, 0.10 };
	static const double high[] = { 0.80, 0.95, 0.62 };
	double hue = 6 * (i * 0.61803398875 - (size_t)(i * 0.61803398875));
	double from = low[i % 3], to = high[i % 3] - from;

	if (i < FR_ARRAY_SIZE(first)) {
		fputs(first[i], out);
		return;
	}
	fprintf(out, "#%02x%02x%02x",
		(int)(255 * (from + to * hue_part(hue + 2))),
		(int)(255 * (from + to * hue_part(hue))),
		(int)(255 * (from + to * hue_part(hue + 4))));
}

static uint16_t piece_owner(const struct fr_table *table, uint32_t bits,
			    uint32_t i)
{
	return table->slots[(size_t)i << (table->bits - bits)];
}

/* Runs of pieces by owner: the pieces of each owner in a list */
struct runs {
	uint32_t *next;
	uint32_t *head;
	uint32_t *tail;
};

#define FR_DRAW_END UINT32_MAX

static int runs_make(struct runs *runs, const struct fr_table *table,
		     uint32_t bits, size_t n)
{
	uint32_t pieces = 1U << bits;
	uint16_t owner;
	uint32_t i;

	runs->next = calloc(pieces, sizeof(*runs->next));
	runs->head = malloc((n + 1) * sizeof(*runs->head));
	runs->tail = malloc((n + 1) * sizeof(*runs->tail));
	if (!runs->next || !runs->head || !runs->tail)
		return -1;
	memset(runs->head, 0xff, (n + 1) * sizeof(*runs->head));
	for (i = 0; i < pieces; i++) {
		owner = piece_owner(table, bits, i);
		runs->next[i] = FR_DRAW_END;
		if (owner == FR_TABLE_NO_OWNER)
			continue;
		if (runs->head[owner] == FR_DRAW_END)
			runs->head[owner] = i;
		else
			runs->next[runs->tail[owner]] = i;
		runs->tail[owner] = i;
	}
	return 0;
}

static void runs_clear(struct runs *runs)
{
	free(runs->next);
	free(runs->head);
	free(runs->tail);
}

/* One circle for each owner, dashed where it owns. A piece is one unit long, so
 * that all dashes are whole numbers.
 */
static void put_dashes(const struct picture *p, const struct runs *runs,
		       uint32_t bits, size_t owner)
{
	uint32_t i = runs->head[owner], at = 0, len;

	if (i == FR_DRAW_END)
		return;
	fputs("<use href=\"#c\" stroke=\"", p->out);
	put_colour(p->out, owner);
	fputs("\" stroke-dasharray=\"0", p->out);
	while (i != FR_DRAW_END) {
		for (len = 1; runs->next[i + len - 1] == i + len; len++)
			;
		fprintf(p->out, " %" PRIu32 " %" PRIu32, i - at, len);
		at = i + len;
		i = runs->next[at - 1];
	}
	fprintf(p->out, " %" PRIu32 "\"/>\n", (1U << bits) - at);
}

static int put_circle(const struct picture *p)
{
	uint32_t bits = p->table->bits < FR_DRAW_BITS ? p->table->bits :
							FR_DRAW_BITS;
	double radius = (1U << bits) / 6.283185307179586;
	double scale = FR_DRAW_RADIUS / radius;
	struct runs runs = {};
	size_t i;

	if (runs_make(&runs, p->table, bits, p->ring->n)) {
		runs_clear(&runs);
		return -1;
	}
	fprintf(p->out,
		"<defs><circle id=\"c\" r=\"%.6f\" stroke-width=\"%.3f\"/></defs>\n"
		"<g fill=\"none\" transform=\"translate(%d %d) rotate(-90) scale(%.8f)\">\n"
		"<use href=\"#c\" stroke=\"#dddddd\"/>\n",
		radius, FR_DRAW_THICK / scale, FR_DRAW_CX,
		FR_DRAW_TOP + FR_DRAW_RADIUS + FR_DRAW_THICK / 2 + 18, scale);
	for (i = 0; i < p->ring->n; i++)
		put_dashes(p, &runs, bits, i);
	fputs("</g>\n", p->out);
	runs_clear(&runs);
	return 0;
}

/* Marks at the quarters, and what the circle is */
static void put_scale(const struct picture *p)
{
	static const char *const marks[] = { "0", "1/4", "1/2", "3/4" };
	static const int dx[] = { 0, 1, 0, -1 }, dy[] = { -1, 0, 1, 0 };
	int r = FR_DRAW_RADIUS + FR_DRAW_THICK / 2;
	int cy = FR_DRAW_TOP + r + 18;
	int i;

	fputs("<g font-size=\"12\" fill=\"#555555\" text-anchor=\"middle\">\n",
	      p->out);
	for (i = 0; i < 4; i++)
		fprintf(p->out, "<text x=\"%d\" y=\"%d\">%s</text>\n",
			FR_DRAW_CX + dx[i] * (r + 16),
			cy + dy[i] * (r + 10) + 4, marks[i]);
	fprintf(p->out,
		"<text x=\"%d\" y=\"%d\" font-size=\"20\" fill=\"#222222\">%u slots</text>\n"
		"<text x=\"%d\" y=\"%d\">%zu backend%s</text>\n</g>\n",
		FR_DRAW_CX, cy, 1U << p->table->bits, FR_DRAW_CX, cy + 22,
		p->ring->n, p->ring->n == 1 ? "" : "s");
}

static void put_head(const struct picture *p)
{
	const struct fr_doc_ring *ring = p->ring;

	fputs("<text x=\"30\" y=\"40\" font-size=\"24\" fill=\"#222222\">ring ",
	      p->out);
	put_text(p->out, ring->name, FR_DOC_NAME);
	fputs("</text>\n<text x=\"30\" y=\"64\" font-size=\"13\" fill=\"#555555\">",
	      p->out);
	if (ring->has_epoch)
		fprintf(p->out, "epoch %" PRIu64 ", ", ring->epoch);
	fprintf(p->out,
		"fingerprint 0x%016" PRIx64 ", %" PRIu32
		" tokens for weight 100, ",
		p->table->fingerprint, ring->vnodes);
	if (ring->imbalance)
		fprintf(p->out, "imbalance %" PRIu32 "%%", ring->imbalance);
	else
		fputs("no bound", p->out);
	fputs("</text>\n", p->out);
}

/* The backend that a bar stands for: the one with the most of its part */
static size_t row_backend(const struct picture *p, size_t row)
{
	size_t i = row * p->per, best = i;
	size_t end = i + p->per < p->ring->n ? i + p->per : p->ring->n;

	for (; i < end; i++) {
		if (p->table->counts[i] > p->table->counts[best])
			best = i;
	}
	return best;
}

static double bar_length(const struct picture *p, double slots)
{
	return p->most ? FR_DRAW_BAR * slots / p->most : 0;
}

static void put_label(const struct picture *p, size_t i, double y)
{
	const struct fr_doc_backend *b = &p->ring->backends[i];
	double size = p->row * 0.6 < 13 ? p->row * 0.6 : 13;
	double base = y + p->row * 0.4 + size * 0.36;
	double slots = p->table->counts[i];

	if (size < 9)
		size = 9;
	fprintf(p->out,
		"<text x=\"%d\" y=\"%.1f\" font-size=\"%.1f\" text-anchor=\"end\">",
		FR_DRAW_BARS + FR_DRAW_NAME - 8, base, size);
	put_text(p->out, b->name, 15);
	fprintf(p->out,
		"</text>\n<text x=\"%d\" y=\"%.1f\" font-size=\"%.1f\">",
		FR_DRAW_BARS + FR_DRAW_NAME + FR_DRAW_BAR + 12, base, size);
	if (usable_weight(b))
		fprintf(p->out, "%.2f%%  (%+.1f%%)", percent(p, slots),
			100 * (slots / part(p, i) - 1));
	else
		fputs(b->weight ? fr_enum_name(&fr_enum_state, b->state) :
				  "weight 0",
		      p->out);
	fputs("</text>\n", p->out);
}

static void put_mark(const struct picture *p, double slots, double y,
		     const char *style)
{
	double x = FR_DRAW_BARS + FR_DRAW_NAME + bar_length(p, slots);

	fprintf(p->out, "<path d=\"M%.2f %.2fv%.2f\" %s/>\n", x,
		y - 0.1 * p->row, p->row, style);
}

static void put_bars(const struct picture *p)
{
	double thick = p->row < 4 ? p->row : 0.8 * p->row, y = FR_DRAW_TOP;
	/* With many bars, not each has a name beside it */
	size_t step = p->row ? 1 + (size_t)(FR_DRAW_LABEL / p->row) : 1;
	size_t row, i;

	if (p->row >= FR_DRAW_LABEL)
		step = 1;

	fputs("<g fill=\"#222222\">\n", p->out);
	for (row = 0; row < p->rows; row++, y += p->row) {
		i = row_backend(p, row);
		fprintf(p->out,
			"<rect x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"",
			FR_DRAW_BARS + FR_DRAW_NAME, y,
			bar_length(p, p->table->counts[i]), thick);
		put_colour(p->out, i);
		fputs("\"/>\n", p->out);
		if (row % step == 0)
			put_label(p, i, y);
	}
	y = FR_DRAW_TOP;
	for (row = 0; row < p->rows; row++, y += p->row) {
		i = row_backend(p, row);
		if (!usable_weight(&p->ring->backends[i]))
			continue;
		put_mark(p, part(p, i), y,
			 "stroke=\"#000000\" stroke-width=\"2\"");
		if (p->ring->imbalance)
			put_mark(p, p->table->caps[i], y,
				 "stroke=\"#cc0000\" stroke-width=\"1.5\"");
	}
	fputs("</g>\n", p->out);
}

/* Who has the most and the least of its part */
static void put_extremes(const struct picture *p, double y)
{
	double ratio, most = 0, least = 0;
	size_t busiest = 0, idlest = 0, i;

	for (i = 0; i < p->ring->n; i++) {
		if (!usable_weight(&p->ring->backends[i]))
			continue;
		ratio = p->table->counts[i] / part(p, i);
		if (!most || ratio > most) {
			most = ratio;
			busiest = i;
		}
		if (!most || !least || ratio < least) {
			least = ratio;
			idlest = i;
		}
	}
	if (!p->weights)
		return;
	fprintf(p->out,
		"<text x=\"%d\" y=\"%.1f\" font-size=\"13\" fill=\"#222222\">most of its part: ",
		FR_DRAW_BARS + FR_DRAW_NAME, y);
	put_text(p->out, p->ring->backends[busiest].name, 15);
	fprintf(p->out, " %.3f, least: ", most);
	put_text(p->out, p->ring->backends[idlest].name, 15);
	fprintf(p->out, " %.3f</text>\n", least);
}

static void put_legend(const struct picture *p, double y)
{
	int x = FR_DRAW_BARS + FR_DRAW_NAME;

	fprintf(p->out,
		"<g font-size=\"13\" fill=\"#222222\">\n"
		"<path d=\"M%d %.1fv14\" stroke=\"#000000\" stroke-width=\"2\"/>\n"
		"<text x=\"%d\" y=\"%.1f\">its part by weight</text>\n",
		x + 1, y - 11, x + 10, y);
	if (p->ring->imbalance)
		fprintf(p->out,
			"<path d=\"M%d %.1fv14\" stroke=\"#cc0000\" stroke-width=\"1.5\"/>\n"
			"<text x=\"%d\" y=\"%.1f\">the most it may own</text>\n",
			x + 150, y - 11, x + 160, y);
	if (p->per > 1)
		fprintf(p->out,
			"<text x=\"%d\" y=\"%.1f\">each bar: the busiest of %zu backends</text>\n",
			x, y + 48, p->per);
	fputs("</g>\n", p->out);
}

static void measure(struct picture *p)
{
	size_t i;

	p->per = (p->ring->n + FR_DRAW_ROWS - 1) / FR_DRAW_ROWS;
	if (!p->per)
		p->per = 1;
	p->rows = (p->ring->n + p->per - 1) / p->per;
	p->row = p->rows ? (double)FR_DRAW_TALL / p->rows : 0;
	if (p->row > FR_DRAW_ROW)
		p->row = FR_DRAW_ROW;
	for (i = 0; i < p->ring->n; i++)
		p->weights += usable_weight(&p->ring->backends[i]);
	for (i = 0; i < p->ring->n; i++) {
		if (p->table->counts[i] > p->most)
			p->most = p->table->counts[i];
		if (p->table->caps[i] > p->most)
			p->most = p->table->caps[i];
		if (part(p, i) > p->most)
			p->most = part(p, i);
	}
}

static int draw(struct fr_ctx *ctx, const struct fr_doc_ring *ring,
		const struct fr_table *table)
{
	struct picture p = { .out = ctx->out, .ring = ring, .table = table };
	int height = FR_DRAW_TOP + 2 * FR_DRAW_RADIUS + FR_DRAW_THICK + 60;
	double y;

	measure(&p);
	y = FR_DRAW_TOP + p.rows * p.row + 28;
	if (y + 66 > height)
		height = y + 66;
	fprintf(p.out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
		FR_DRAW_WIDTH, height, FR_DRAW_WIDTH, height);
	put_head(&p);
	if (put_circle(&p))
		return fr_error(ctx, "ring %s: out of memory", ring->name);
	put_scale(&p);
	put_bars(&p);
	if (ring->n) {
		put_legend(&p, y);
		put_extremes(&p, y + 24);
	}
	fputs("</svg>\n", p.out);
	return FR_EXIT_OK;
}

/* The table of this tool has to be the kernel's */
static int check(struct fr_ctx *ctx, const struct fr_doc_ring *ring,
		 const struct fr_table *table)
{
	if (!ring->has_fingerprint || ring->fingerprint == table->fingerprint)
		return FR_EXIT_OK;
	return fr_error(ctx,
			"ring %s: the kernel has fingerprint 0x%016" PRIx64
			", this tool makes 0x%016" PRIx64
			" of it: they are of different versions",
			ring->name, ring->fingerprint, table->fingerprint);
}

/* The ring, when its slots can be known; else an error is printed */
static const struct fr_doc_ring *find(struct fr_ctx *ctx,
				      const struct fr_document *doc,
				      const char *name, bool offline)
{
	const struct fr_doc_ring *ring = fr_document_ring(doc, name);

	if (ring && ring->has_key)
		return ring;
	if (!ring && offline)
		fr_doc_error(ctx, doc, 0, "no ring %s", name);
	else if (!ring)
		fr_error(ctx, "ring %s: no such ring", name);
	else if (offline)
		fr_doc_error(ctx, doc, ring->line, "ring %s: has no key, so its slots are not known",
			     name);
	else
		fr_error(ctx, "ring %s: the kernel does not show its key: needs CAP_NET_ADMIN in the initial user namespace",
			 name);
	return NULL;
}

static int draw_ring(struct fr_ctx *ctx, const struct fr_document *doc,
		     const char *name, bool offline)
{
	const struct fr_doc_ring *ring = find(ctx, doc, name, offline);
	struct fr_table table;
	int ret;

	if (!ring)
		return offline ? FR_EXIT_LOCAL : FR_EXIT_KERNEL;
	ret = fr_table_build(ctx, ring, &table);
	if (!ret)
		ret = check(ctx, ring, &table);
	if (!ret)
		ret = draw(ctx, ring, &table);
	fr_table_clear(&table);
	return ret;
}

/**
 * fr_ring_draw() - Draw a ring as SVG.
 * @ctx: The run.
 * @args: The words after "ring draw".
 *
 * Return: Exit status.
 */
int fr_ring_draw(struct fr_ctx *ctx, struct fr_args *args)
{
	struct fr_document *doc = NULL;
	const char *name, *word, *path = NULL;
	struct fr_state state = {};
	int ret = FR_EXIT_OK;

	name = fr_arg_next(ctx, args, "ring");
	if (!name || fr_parse_name(ctx, "ring", name))
		return FR_EXIT_LOCAL;
	word = fr_arg_peek(args);
	if (word && !strcmp(word, "--offline")) {
		args->i++;
		path = fr_arg_next(ctx, args, "the document");
		if (!path)
			return FR_EXIT_LOCAL;
	}
	if (fr_arg_end(ctx, args))
		return FR_EXIT_LOCAL;
	if (ctx->batch && path && !strcmp(path, "-"))
		return fr_usage(ctx, args, "standard input cannot be read in a batch");
	if (ctx->dry)
		return FR_EXIT_OK;

	if (path) {
		doc = fr_document_load(ctx, path);
	} else {
		ret = fr_state_read(ctx, "ring draw", &state);
		if (!ret)
			doc = fr_state_document(ctx, "ring draw", &state);
	}
	if (!ret)
		ret = doc ? draw_ring(ctx, doc, name, path) : FR_EXIT_LOCAL;
	fr_document_free(doc);
	fr_state_clear(&state);
	return ret;
}
