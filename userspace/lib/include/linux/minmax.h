/* SPDX-License-Identifier: GPL-2.0 */
/* The smaller and the larger of two, each evaluated once; and exchanging two */
#ifndef _FLOWRING_LIB_MINMAX_H
#define _FLOWRING_LIB_MINMAX_H

#define min(x, y) \
	({ typeof(x) _x = (x), _y = (y); _x < _y ? _x : _y; })
#define max(x, y) \
	({ typeof(x) _x = (x), _y = (y); _x > _y ? _x : _y; })
#define min_t(type, x, y) \
	({ type _x = (x), _y = (y); _x < _y ? _x : _y; })
#define max_t(type, x, y) \
	({ type _x = (x), _y = (y); _x > _y ? _x : _y; })
#define swap(a, b) \
	do { typeof(a) _t = (a); (a) = (b); (b) = _t; } while (0)

#endif /* _FLOWRING_LIB_MINMAX_H */
