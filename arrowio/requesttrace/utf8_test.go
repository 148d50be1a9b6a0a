package requesttrace_test

import (
	"strings"
	"testing"

	"github.com/inferlab/inferlab/arrowio/requesttrace"
)

// TestTextMustBeUTF8 checks that no id is changed on the way in: a document with
// other bytes would not be UTF-8, and two ids could become one.
func TestTextMustBeUTF8(t *testing.T) {
	for _, c := range []struct {
		format requesttrace.Format
		text   string
		at     string
	}{
		{requesttrace.CSV, "arrival_ns,prompt_tokens,output_tokens,id\n0,3,4,a\xff\n", "t:2:7"},
		{requesttrace.JSONL, "{\"arrival_ns\": 0, \"prompt_tokens\": 3, \"output_tokens\": 4, \"id\": \"a\xff\"}\n", "t:1:67"},
		{requesttrace.JSONL, `{"arrival_ns": 0, "prompt_tokens": 3, "output_tokens": 4, "id": "\ud800"}`, "surrogate"},
	} {
		_, err := requesttrace.Read(strings.NewReader(c.text), "t", requesttrace.Options{Format: c.format})
		if err == nil || !strings.Contains(err.Error(), c.at) {
			t.Errorf("%s: %v, want %s", c.format, err, c.at)
		}
	}
	ok := `{"arrival_ns": 0, "prompt_tokens": 3, "output_tokens": 4, "id": "\ufffd\ud83d\ude00"}`
	tr, err := requesttrace.Read(strings.NewReader(ok), "t", requesttrace.Options{Format: requesttrace.JSONL})
	if err != nil || tr.Requests[0].ID != "\uFFFD\U0001F600" {
		t.Errorf("%v, %v", tr, err)
	}
}
