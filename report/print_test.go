package report_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/report/internal/sample"
)

// TestPrint: print opens all folds, and a table above 40 rows prints its first and last
// 20 with a statement, so that a run of hundreds of batches stays a document to hand over.
func TestPrint(t *testing.T) {
	run := sample.Run(sample.Options{Requests: 60, Output: 30, Rate: 30, Scenario: preset(t, "multi-gpu")})
	html := page(t, run, report.Meta{})
	for _, said := range []string{
		`<p class="note printed">In print: the first 20 and the last 20 of 60 rows.</p>`,
		".long tbody tr:nth-child(n+21):not(:nth-last-child(-n+20)){display:none}",
	} {
		if !strings.Contains(html, said) {
			t.Errorf("the page does not hold %q", said)
		}
	}
	if long, said := strings.Count(html, `<table class="long">`), strings.Count(html, `<p class="note printed">`); long != said || long == 0 || long == strings.Count(html, "<table") {
		t.Errorf("%d long tables, %d statements", long, said)
	}
	shown, all := printedPages(t, html), printedPages(t, strings.ReplaceAll(html, ` class="long"`, ""))
	if shown > 18 || all < shown+10 {
		t.Errorf("%d pages, %d with every row", shown, all)
	}
}

// printedPages prints a page and counts the sheets.
func printedPages(t *testing.T, html string) int {
	t.Helper()
	dir := t.TempDir()
	file, sheets := filepath.Join(dir, "page.html"), filepath.Join(dir, "page.pdf")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, browser(t), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--virtual-time-budget=2000", "--no-pdf-header-footer", "--print-to-pdf="+sheets, "file://"+file).CombinedOutput()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, out)
	}
	pdf, err := os.ReadFile(sheets)
	if err != nil {
		t.Fatal(err)
	}
	return len(regexp.MustCompile(`/Type /Page\b`).FindAll(pdf, -1))
}
