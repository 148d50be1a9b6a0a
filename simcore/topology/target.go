package topology

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/issue"
)

var ringTarget = regexp.MustCompile(`^multi-gpu-ring-([1-9][0-9]*)$`)

// Target resolves what every command takes as its scenario (contract 02 section
// 12): a preset or further computer by exact name, multi-gpu-ring-N, or a path
// that ends in .json, .yaml or .yml, whose bytes read supplies. Anything else is
// an *issue.Error with code unknown_target that offers the nearest names.
func Target(name string, read func(path string) ([]byte, error)) (*Scenario, error) {
	if slices.Contains(TargetNames(), name) {
		return Preset(name)
	}
	if m := ringTarget.FindStringSubmatch(name); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, ringSize(m[1])
		}
		return Ring(n)
	}
	if !isScenarioFile(name) {
		return nil, issue.New("unknown_target", "", "%q is neither a preset nor multi-gpu-ring-N nor a .json, .yaml or .yml file%s",
			name, document.Suggest(name, append(TargetNames(), "multi-gpu-ring-4")))
	}
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	doc, err := document.Parse(data, name)
	if err != nil {
		return nil, err
	}
	return ReadScenario(doc)
}

// TargetNames lists every machine that a target may name exactly.
func TargetNames() []string { return append(PresetNames(), FurtherComputerNames()...) }

func isScenarioFile(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, ".json") || strings.HasSuffix(lower, ".yaml") || strings.HasSuffix(lower, ".yml")
}
