# SPDX-License-Identifier: GPL-2.0
#
# The front door: "make help" lists what it does.

PREFIX	?= /usr/local
DESTDIR	?=
VM	?= qemu
TESTS	?=
T	?= 600
O	:= $(CURDIR)/build/userspace

export VM
unexport O

all: module tool	## the module for the newest stock kernel, and the tool

module:			## the module; KDIR= names other kernel headers
	scripts/module.sh stock

tool:			## the command line tool
	$(MAKE) -C userspace O=$(O)

install: all		## module, tool, manual pages; DESTDIR= and PREFIX=
	DESTDIR=$(DESTDIR) scripts/install.sh module
	$(MAKE) -C userspace O=$(O) DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) install

uninstall:		## the reverse
	DESTDIR=$(DESTDIR) PREFIX=$(PREFIX) scripts/install.sh remove

check:			## every check and test, with a total at the end
	scripts/check.sh

lint:			## style, sparse, warnings, documentation
	scripts/deps.sh build lint
	scripts/lint.sh

sparse:			## sparse alone
	scripts/lint.sh sparse

userspace-test:		## unit tests of the ring code and the tool
	scripts/deps.sh build test
	$(MAKE) -C userspace O=$(O) test

model:			## the model check of windows and pins; MODEL_SEQUENCES=
	scripts/deps.sh build
	$(MAKE) -C userspace O=$(O) model

kunit:			## KUnit tests of the module, in user-mode Linux
	scripts/deps.sh build vm
	scripts/kunit.sh

vm-test:		## selftests in a guest; TESTS="nat dr" and VM=uml
	scripts/deps.sh build vm
	scripts/vm-test.sh $(TESTS)

fuzz:			## the fuzzers, each for T=600 seconds
	scripts/deps.sh build fuzz
	scripts/fuzz.sh $(T)

bench-ring:		## the ring's figures beside other schemes, and the goals
	scripts/deps.sh build vm
	selftests/bench/ring.sh --json build/bench/ring.json

bench-scale:		## restore and edits of few and many rings (case N6)
	scripts/deps.sh build vm
	selftests/bench/guest.sh scale.sh

bench-window:		## what an open window costs a packet
	scripts/deps.sh build vm
	$(MAKE) -s -C selftests/bench O=$(CURDIR)/build/bench
	build/bench/window_bench
	selftests/bench/guest.sh window.sh

bench-service:		## what 10,000 services cost a packet
	scripts/deps.sh build vm
	selftests/bench/guest.sh service.sh

demo:			## a gateway with real servers under load, in a guest
	scripts/deps.sh demo
	$(MAKE) all
	selftests/demo/demo.sh

ynl:			## the generated netlink code, anew from the spec
	scripts/deps.sh lint
	scripts/ynl.sh "$$(scripts/kernels.sh source)"

ynl-check:		## whether that code is current
	scripts/lint.sh ynl-check

clean:			## remove build; the cache of kernels stays
	rm -rf build

help:			## this list
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | \
		expand -t 18
	@echo "Kernels are kept in \$$FLOWRING_CACHE (~/.cache/flowring)."

.PHONY: all module tool install uninstall check lint sparse userspace-test \
	model kunit vm-test fuzz bench-ring bench-scale bench-service \
	bench-window demo ynl ynl-check clean help
