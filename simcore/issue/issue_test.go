package issue_test

import (
	"fmt"
	"testing"

	"github.com/inferlab/inferlab/simcore/issue"
)

func TestMessagesNamePathAndFinding(t *testing.T) {
	e := issue.New("positive_integer", "links[2].bandwidthBytesPerSec", "found %d, expected a positive integer", -1)
	if got, want := e.Error(), "links[2].bandwidthBytesPerSec: found -1, expected a positive integer"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := issue.New("usage", "", "no file").Error(); got != "no file" {
		t.Errorf("without a path: %q", got)
	}
}

func TestListStatesEveryIssueInOrder(t *testing.T) {
	var l issue.List
	if l.Err() != nil {
		t.Fatal("an empty list is an error")
	}
	l.Subject = "scenario x"
	l.Add("a", "p", "first")
	l.Add("b", "q", "second")
	if got, want := l.Err().Error(), "scenario x: 2 issues: [a] p: first; [b] q: second"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAllLooksThroughWrapping(t *testing.T) {
	one := issue.New("a", "p", "x")
	if got := issue.All(fmt.Errorf("reading: %w", one)); len(got) != 1 || got[0] != one {
		t.Errorf("single: %v", got)
	}
	l := &issue.List{Issues: []*issue.Error{one, one}}
	if got := issue.All(fmt.Errorf("reading: %w", l)); len(got) != 2 {
		t.Errorf("list: %v", got)
	}
	if got := issue.All(fmt.Errorf("other")); got != nil {
		t.Errorf("foreign error: %v", got)
	}
}

func TestBriefCountsWhatItLeavesOut(t *testing.T) {
	l := issue.List{Subject: "dataset d"}
	for _, path := range []string{"a", "b", "c"} {
		l.Add("range", path, "is off")
	}
	for most, want := range map[int]string{
		2: "dataset d: 3 issues: [range] a: is off; [range] b: is off; and 1 more: c",
		3: "dataset d: 3 issues: [range] a: is off; [range] b: is off; [range] c: is off",
	} {
		if got := l.Brief(most); got != want {
			t.Errorf("Brief(%d) = %q; want %q", most, got, want)
		}
	}
	if got, want := l.Error(), l.Brief(3); got != want {
		t.Errorf("Error() = %q; want %q", got, want)
	}
}
