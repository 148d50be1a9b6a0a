package library

// languageModels are dense language models without media, by size.
var languageModels = []Architecture{
	{
		ID: "qwen3-0.6b", Name: "Qwen3-0.6B", PublishedParams: 600_000_000,
		NumLayers: 28, HiddenDim: 1024, VocabSize: 151936, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 16, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 3072}},
	},
	{
		ID: "llama-3.2-1b", Name: "Llama-3.2-1B", PublishedParams: 1_240_000_000,
		NumLayers: 16, HiddenDim: 2048, VocabSize: 128256, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 64}},
		FFN:       []Width{{Value: 8192}},
	},
	{
		ID: "phi-4-mini", Name: "Phi-4-mini", PublishedParams: 3_800_000_000,
		NumLayers: 32, HiddenDim: 3072, VocabSize: 200064, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 24, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 8192}},
	},
	{
		ID: "qwen3-4b", Name: "Qwen3-4B", PublishedParams: 4_000_000_000,
		NumLayers: 36, HiddenDim: 2560, VocabSize: 151936, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 9728}},
	},
	{
		ID: "mistral-7b", Name: "Mistral-7B-v0.3", PublishedParams: 7_250_000_000,
		NumLayers: 32, HiddenDim: 4096, VocabSize: 32768,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 14336}},
	},
	{
		ID: "llama-3-8b", Name: "Llama-3-8B", PublishedParams: 8_030_000_000,
		NumLayers: 32, HiddenDim: 4096, VocabSize: 128256,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 14336}},
	},
	{
		ID: "qwen3-8b", Name: "Qwen3-8B", PublishedParams: 8_200_000_000,
		NumLayers: 36, HiddenDim: 4096, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 12288}},
	},
	{
		ID: "phi-4", Name: "Phi-4-14B", PublishedParams: 14_700_000_000,
		NumLayers: 40, HiddenDim: 5120, VocabSize: 100352,
		Attention: []Attention{{Kind: GQA, NumHeads: 40, NumKVHeads: 10, HeadDim: 128}},
		FFN:       []Width{{Value: 17920}},
	},
	{
		ID: "qwen3-32b", Name: "Qwen3-32B", PublishedParams: 32_800_000_000,
		NumLayers: 64, HiddenDim: 5120, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 64, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 25600}},
	},
	{
		ID: "gemma-4-31b", Name: "Gemma-4-31B", PublishedParams: 31_000_000_000,
		NumLayers: 60, HiddenDim: 5376, VocabSize: 262144, TiedEmbeddings: true,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{Period: 6, Phase: 5}, NumHeads: 32, NumKVHeads: 4, HeadDim: 512},
			{Kind: GQA, NumHeads: 32, NumKVHeads: 16, HeadDim: 256},
		},
		FFN:         []Width{{Value: 21504}},
		Speculation: &Speculation{Families: []string{"mtp"}},
	},
	{
		ID: "llama-3-70b", Name: "Llama-3-70B", PublishedParams: 70_600_000_000,
		NumLayers: 80, HiddenDim: 8192, VocabSize: 128256,
		Attention: []Attention{{Kind: GQA, NumHeads: 64, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 28672}},
	},
}
