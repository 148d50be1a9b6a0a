package document

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse decodes 5 MB of small objects.
func BenchmarkParse(b *testing.B) {
	var json strings.Builder
	json.WriteString("[\n")
	for i := 0; json.Len() < 5<<20; i++ {
		if i > 0 {
			json.WriteString(",\n")
		}
		fmt.Fprintf(&json, "  {\"id\": \"item-%d\", \"bytes\": %d, \"share\": 0.125, \"on\": true, \"tags\": [\"a\", \"b\"]}", i, i*4096)
	}
	json.WriteString("\n]\n")
	flow := []byte(json.String())
	v, err := ParseJSON(flow, "flow.json")
	if err != nil {
		b.Fatal(err)
	}
	block, err := WriteYAML(v.Canonical())
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"flow.json", flow},
		{"block.yaml", block},
		{"flow.yaml", flow}, // JSON is YAML as well; over several lines it goes through the library
	} {
		name, data := file.name, file.data
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Parse(data, name); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
