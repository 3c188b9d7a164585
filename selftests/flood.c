// SPDX-License-Identifier: GPL-2.0
/*
 * A flood of TCP packets from addresses that are not ours.
 *
 *	flood DEV MAC SOURCE BITS ADDR PORT syn|ack RATE SECONDS
 *
 * sends RATE packets a second, or as many as it can, out of DEV to the link
 * layer address MAC, for that long or until SIGINT or SIGTERM. They come from
 * all of the IPv4 network SOURCE/BITS and from any port. Prints how many, in
 * what time.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define BATCH	64

struct packet {
	struct ether_header eth;
	struct iphdr ip;
	struct tcphdr tcp;
} __attribute__((packed));

static struct packet packets[BATCH];
static uint32_t network, hosts;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* splitmix64, from a fixed seed: a run repeats the last one */
static uint64_t any(void)
{
	static uint64_t state = 1;
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static uint32_t sum(const void *data, size_t len, uint32_t start)
{
	const uint8_t *byte = data;
	size_t i;

	for (i = 0; i < len; i += 2)
		start += byte[i] << 8 | byte[i + 1];
	return start;
}

static uint16_t fold(uint32_t total)
{
	while (total >> 16)
		total = (total & 0xffff) + (total >> 16);
	return htons(~total);
}

static void fill(struct packet *p)
{
	uint64_t r = any();
	uint32_t pseudo;

	p->ip.saddr = htonl(network | ((uint32_t)r & hosts));
	p->ip.check = 0;
	p->ip.check = fold(sum(&p->ip, sizeof(p->ip), 0));
	p->tcp.source = htons(1024 + (r >> 32) % 64512);
	p->tcp.seq = r >> 20;
	p->tcp.check = 0;
	pseudo = sum(&p->ip.saddr, 8, IPPROTO_TCP + sizeof(p->tcp));
	p->tcp.check = fold(sum(&p->tcp, sizeof(p->tcp), pseudo));
}

static void prepare(char **argv)
{
	struct packet *p = &packets[0];
	int i, bits = atoi(argv[3]);
	struct ether_addr *mac;
	struct in_addr a;

	mac = ether_aton(argv[1]);
	if (!mac || inet_pton(AF_INET, argv[2], &a) != 1 || bits < 1 ||
	    bits > 31 || inet_pton(AF_INET, argv[4], &p->ip.daddr) != 1) {
		fprintf(stderr, "flood: bad address\n");
		exit(1);
	}
	network = ntohl(a.s_addr);
	hosts = ~0U >> bits;
	memcpy(p->eth.ether_dhost, mac, ETH_ALEN);
	p->eth.ether_shost[0] = 2;
	p->eth.ether_type = htons(ETHERTYPE_IP);
	p->ip.version = 4;
	p->ip.ihl = 5;
	p->ip.ttl = 64;
	p->ip.protocol = IPPROTO_TCP;
	p->ip.tot_len = htons(sizeof(p->ip) + sizeof(p->tcp));
	p->tcp.dest = htons(atoi(argv[5]));
	p->tcp.doff = 5;
	p->tcp.window = htons(8192);
	p->tcp.syn = !strcmp(argv[6], "syn");
	p->tcp.ack = !p->tcp.syn;
	for (i = 1; i < BATCH; i++)
		packets[i] = *p;
}

static int open_device(const char *dev)
{
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex(dev),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0), on = 1;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		die(dev);
	setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on));
	return fd;
}

static int send_batch(int fd)
{
	struct mmsghdr msgs[BATCH] = {};
	struct iovec parts[BATCH];
	int i, n;

	for (i = 0; i < BATCH; i++) {
		fill(&packets[i]);
		parts[i].iov_base = &packets[i];
		parts[i].iov_len = sizeof(packets[i]);
		msgs[i].msg_hdr.msg_iov = &parts[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	n = sendmmsg(fd, msgs, BATCH, 0);
	if (n < 0 && errno != ENOBUFS && errno != EINTR)
		die("sendmmsg");
	return n < 0 ? 0 : n;
}

int main(int argc, char **argv)
{
	double start, end, rate, ahead;
	struct timespec nap = {};
	unsigned long sent = 0;
	sigset_t ends;
	int fd;

	if (argc != 10 || (strcmp(argv[7], "syn") && strcmp(argv[7], "ack"))) {
		fprintf(stderr, "usage: flood DEV MAC SOURCE BITS ADDR PORT syn|ack RATE SECONDS\n");
		return 1;
	}
	prepare(argv + 1);
	fd = open_device(argv[1]);
	rate = atof(argv[8]);
	sigemptyset(&ends);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	start = now();
	end = start + atof(argv[9]);
	while (now() < end) {
		sent += send_batch(fd);
		ahead = sent / rate - (now() - start);
		nap.tv_nsec = ahead < 0.001 ? 0 : ahead < 0.1 ? ahead * 1e9 :
			      1e8;
		if (sigtimedwait(&ends, NULL, &nap) > 0)
			break;
	}
	end = now() - start;
	printf("sent %lu in %.2f s, %.0f a second\n", sent, end, sent / end);
	return 0;
}
