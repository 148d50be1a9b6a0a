# make test   sets up whatever is missing, then runs every test
# make build  builds bin/inferlab
# make demo   runs the demonstration into ./out
# make bench  runs the benchmarks
# make check  gofmt, go vet and staticcheck
# make bench-parquet  writes tables as Parquet beside pyarrow, and prints the ratio

GO      ?= go
PYTHON  ?= python3
VENV    := .venv
VENV_PY := $(VENV)/bin/python
PYTEST_OUT := out/readers

.PHONY: test build demo bench bench-parquet check go-test page-test reader-test chromium axe clean

test: check go-test reader-test
	@echo "all tests passed"

build:
	$(GO) build -o bin/inferlab ./cmd/inferlab

demo: build
	./bin/inferlab demo

check:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$unformatted" ]; then echo "not gofmt-ed: $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The page tests load every page in a headless browser.
chromium:
	@sh testdata/setup/chromium.sh

# ... and hold it against the rules for accessible pages.
axe:
	@sh testdata/setup/axe.sh

go-test: chromium axe
	$(GO) test -timeout 25m ./...

# The Parquet files are read by readers that are not written in Go.
$(VENV)/ready: testdata/python/requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV_PY) -m pip install --quiet --disable-pip-version-check -r testdata/python/requirements.txt
	touch $@

reader-test: build $(VENV)/ready
	rm -rf $(PYTEST_OUT)
	INFERLAB=$(abspath bin/inferlab) INFERLAB_OUT=$(abspath $(PYTEST_OUT)) $(VENV_PY) -m pytest -q testdata/python

bench:
	$(GO) test -run '^$$' -bench . ./...

# A sample of 2 million tokens, and tables of a run, each written in turns by this
# module and by pyarrow.
BENCH_OUT := out/bench
bench-parquet: build $(VENV)/ready
	mkdir -p $(BENCH_OUT)
	$(GO) build -o $(BENCH_OUT)/parquetbench ./arrowio/internal/parquetbench
	$(BENCH_OUT)/parquetbench -sample $(BENCH_OUT)/sample.arrow
	$(VENV_PY) testdata/python/bench_parquet.py --config $(BENCH_OUT)/serving.yaml
	./bin/inferlab serving multi-gpu $(BENCH_OUT)/serving.yaml --arrow $(BENCH_OUT) --format table > /dev/null
	$(VENV_PY) testdata/python/bench_parquet.py $(BENCH_OUT)/parquetbench $(addprefix $(BENCH_OUT)/,sample.arrow tokens.arrow batch_members.arrow operations.arrow)

clean:
	rm -rf bin out $(VENV) $(LAB_VENV)

# The notebook laboratory under Jupyter: the kernel is installed into an
# environment of its own, and a browser opens JupyterLab. Takes minutes.
LAB_VENV := .venv-lab
.PHONY: lab-test notebooks notebook-pages

$(LAB_VENV)/ready: notebooks/requirements.txt notebooks/testdata/requirements.txt | build
	./bin/inferlab lab --yes --setup-only --env $(LAB_VENV)
	$(LAB_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -r notebooks/testdata/requirements.txt
	touch $@

lab-test: build chromium $(LAB_VENV)/ready
	./bin/inferlab kernel install --prefix $(LAB_VENV)
	INFERLAB_LAB_TESTS=1 $(GO) test -count=1 ./notebooks/...
	cd notebooks/testdata/jupyter && INFERLAB=$(abspath bin/inferlab) INFERLAB_OUT=$(abspath out/jupyter) $(abspath $(LAB_VENV))/bin/python -m pytest -q -p no:cacheprovider

# Executes every notebook and writes it as executed; look at them before committing.
notebooks: build $(LAB_VENV)/ready
	$(GO) test -count=1 ./notebooks -run TestNotebooks -update
	./bin/inferlab notebook run notebooks/quickstart.ipynb --output $(LAB_VENV)/quickstart.ipynb
	$(LAB_VENV)/bin/python notebooks/testdata/jupyter/execute.py notebooks/from-parquet-to-pandas.ipynb

# The docs page of each notebook is made from it.
notebook-pages: build
	./bin/inferlab notebook page notebooks/*.ipynb --output out/docs/notebooks/
