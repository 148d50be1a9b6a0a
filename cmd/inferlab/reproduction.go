package main

import (
	"path/filepath"
	"strings"

	"github.com/inferlab/inferlab/report"
	"github.com/inferlab/inferlab/simcore/canonical"
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/jsondoc"
	"github.com/inferlab/inferlab/simcore/result"
	"github.com/inferlab/inferlab/simcore/serving"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// servingMeta is what the page of a serving run says about its making, with its full
// document where that can fit. A token takes far more than 100 bytes of it: that of a
// long run is not written a second time only to be left out, and the document that was
// printed stands for it.
func (a *app) servingMeta(q *asked, run *serving.Run, requests string) (report.Meta, error) {
	if run.Metrics.OutputTokens <= report.MaxResultBytes/100 {
		return q.meta(requests, func(w *jsondoc.Writer) { result.Serving(w, run, result.Full) })
	}
	meta, err := q.meta(requests, nil)
	meta.OutputFingerprint = a.printed
	return meta, err
}

// isFile reports whether a scenario target names a file.
func isFile(target string) bool {
	switch strings.ToLower(filepath.Ext(target)) {
	case ".json", ".yaml", ".yml":
		return true
	}
	return false
}

// fileFingerprint is the fingerprint of a document's canonical text, whatever its
// spelling, or of the bytes of a file that is no document.
func fileFingerprint(path string) (string, error) {
	data, err := readFile(path)
	if err != nil {
		return "", err
	}
	if !isFile(path) {
		return canonical.FingerprintBytes(data), nil
	}
	return documentFingerprint(data, path)
}

func documentFingerprint(data []byte, name string) (string, error) {
	doc, err := document.Parse(data, name)
	if err != nil {
		return "", err
	}
	return canonical.Fingerprint(doc.Canonical())
}

// reproduction is the command line without the options that only say where and in
// which form results go, and without folders.
func reproduction(cmd *cobra.Command, args []string, readsTrace bool) string {
	words := []string{"inferlab", cmd.Name()}
	for _, a := range args {
		words = append(words, quoted(filepath.Base(a)))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "report", "parquet", "arrow", "format", "summary", "plain-strings", "perfetto", "out", "open":
			return
		case "reference":
			words = append(words, "--reference="+quoted(filepath.Base(f.Value.String())))
			return
		case "trace":
			if readsTrace {
				words = append(words, "--trace="+quoted(filepath.Base(f.Value.String())))
			}
			return
		}
		words = append(words, "--"+f.Name+"="+quoted(f.Value.String()))
	})
	return strings.Join(words, " ")
}

// quoted spells a word so that a shell reads it back as it is.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
