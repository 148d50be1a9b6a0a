package library

import "github.com/inferlab/inferlab/simcore/model"

// expertModels are mixtures of experts, by size.
var expertModels = []Architecture{
	{
		ID: "gpt-oss-20b", Name: "gpt-oss-20B", PublishedParams: 20_900_000_000,
		NumLayers: 24, HiddenDim: 2880, VocabSize: 201088,
		Attention: []Attention{{Kind: GQA, NumHeads: 64, NumKVHeads: 8, HeadDim: 64}},
		Experts: &Experts{NumExperts: 32, ActivePerToken: 4, IntermediateSize: 2880, Layers: 24,
			Distribution: model.Distribution{Kind: "uniform"}},
	},
	{
		ID: "gemma-4-26b-a4b", Name: "Gemma-4-26B-A4B", PublishedParams: 26_000_000_000,
		NumLayers: 30, HiddenDim: 2816, VocabSize: 262144, TiedEmbeddings: true,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{Period: 6, Phase: 5}, NumHeads: 16, NumKVHeads: 2, HeadDim: 512},
			{Kind: GQA, NumHeads: 16, NumKVHeads: 8, HeadDim: 256},
		},
		FFN: []Width{{Value: 2112}},
		Experts: &Experts{NumExperts: 128, ActivePerToken: 8, IntermediateSize: 704, Shared: 1, SharedIntermediateSize: 2112, Layers: 30,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
		Speculation: &Speculation{Families: []string{"mtp"}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only", TokensPerItem: 280,
				Encoder: ViT{NumLayers: 27, HiddenDim: 1152, NumHeads: 16, IntermediateSize: 4304, PatchSize: 16, TemporalPatchSize: 1, InChannels: 3}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "image", DecoderTokensPerItem: 280, ComponentIDs: []string{"vision_encoder"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 280, ComponentIDs: []string{"vision_encoder"}},
		},
	},
	{
		ID: "qwen3-30b-a3b", Name: "Qwen3-30B-A3B", PublishedParams: 30_500_000_000,
		NumLayers: 48, HiddenDim: 2048, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 4, HeadDim: 128}},
		Experts: &Experts{NumExperts: 128, ActivePerToken: 8, IntermediateSize: 768, Layers: 48,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
	},
	{
		ID: "qwen3-vl-30b-a3b", Name: "Qwen3-VL-30B-A3B", PublishedParams: 30_900_000_000,
		NumLayers: 48, HiddenDim: 2048, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 4, HeadDim: 128}},
		Experts: &Experts{NumExperts: 128, ActivePerToken: 8, IntermediateSize: 768, Layers: 48,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 27, HiddenDim: 1152, NumHeads: 16, IntermediateSize: 4304, PatchSize: 16, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{4608, 4608, 2048}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "512x512 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "qwen3.6-35b-a3b", Name: "Qwen3.6-35B-A3B", PublishedParams: 35_000_000_000,
		NumLayers: 40, HiddenDim: 2048, VocabSize: 248320,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{Period: 4, Phase: 3}, NumHeads: 16, NumKVHeads: 2, HeadDim: 256},
			{Kind: Linear, NumKeyHeads: 16, KeyHeadDim: 128, NumValueHeads: 32, ValueHeadDim: 128, ConvKernelDim: 4},
		},
		Experts: &Experts{NumExperts: 256, ActivePerToken: 8, IntermediateSize: 512, Shared: 1, SharedIntermediateSize: 512, Layers: 40,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
		Speculation: &Speculation{Families: []string{"mtp"}, DrafterParams: 900_000_000},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 27, HiddenDim: 1152, NumHeads: 16, IntermediateSize: 4304, PatchSize: 16, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{4608, 4608, 2048}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "512x512 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "mixtral-8x7b", Name: "Mixtral-8x7B", PublishedParams: 46_700_000_000,
		NumLayers: 32, HiddenDim: 4096, VocabSize: 32000,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		Experts: &Experts{NumExperts: 8, ActivePerToken: 2, IntermediateSize: 14336, Layers: 32,
			Distribution: model.Distribution{Kind: "uniform"}},
	},
	{
		ID: "gpt-oss-120b", Name: "gpt-oss-120B", PublishedParams: 117_000_000_000,
		NumLayers: 36, HiddenDim: 2880, VocabSize: 201088,
		Attention: []Attention{{Kind: GQA, NumHeads: 64, NumKVHeads: 8, HeadDim: 64}},
		Experts: &Experts{NumExperts: 128, ActivePerToken: 4, IntermediateSize: 2880, Layers: 36,
			Distribution: model.Distribution{Kind: "uniform"}},
	},
	{
		ID: "mixtral-8x22b", Name: "Mixtral-8x22B", PublishedParams: 141_000_000_000,
		NumLayers: 56, HiddenDim: 6144, VocabSize: 32000,
		Attention: []Attention{{Kind: GQA, NumHeads: 48, NumKVHeads: 8, HeadDim: 128}},
		Experts: &Experts{NumExperts: 8, ActivePerToken: 2, IntermediateSize: 16384, Layers: 56,
			Distribution: model.Distribution{Kind: "uniform"}},
	},
	{
		ID: "qwen-3-235b", Name: "Qwen3-235B-A22B", PublishedParams: 235_000_000_000,
		NumLayers: 94, HiddenDim: 4096, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 64, NumKVHeads: 4, HeadDim: 128}},
		Experts: &Experts{NumExperts: 128, ActivePerToken: 8, IntermediateSize: 1536, Layers: 94,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
	},
	{
		ID: "deepseek-v2", Name: "DeepSeek-V2", PublishedParams: 236_000_000_000,
		NumLayers: 60, HiddenDim: 5120, VocabSize: 102400,
		Attention: []Attention{{Kind: MLA, NumHeads: 128, QLoraRank: 1536, KVLoraRank: 512, QKNopeHeadDim: 128, QKRopeHeadDim: 64, VHeadDim: 128}},
		FFN:       []Width{{Layers: Selector{To: 1}, Value: 12288}},
		Experts: &Experts{NumExperts: 160, ActivePerToken: 6, IntermediateSize: 1536, Shared: 2, SharedIntermediateSize: 1536, Layers: 59,
			Distribution: model.Distribution{Kind: "zipf", S: 1.1}},
	},
	{
		ID: "deepseek-v3", Name: "DeepSeek-V3", PublishedParams: 671_000_000_000,
		NumLayers: 61, HiddenDim: 7168, VocabSize: 129280,
		Attention: []Attention{{Kind: MLA, NumHeads: 128, QLoraRank: 1536, KVLoraRank: 512, QKNopeHeadDim: 128, QKRopeHeadDim: 64, VHeadDim: 128}},
		FFN:       []Width{{Layers: Selector{To: 3}, Value: 18432}},
		Experts: &Experts{NumExperts: 256, ActivePerToken: 8, IntermediateSize: 2048, Shared: 1, SharedIntermediateSize: 2048, Layers: 58,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
		Speculation: &Speculation{Families: []string{"mtp"}, DrafterParams: 11_500_000_000},
	},
	{
		ID: "kimi-k2", Name: "Kimi-K2", PublishedParams: 1_030_000_000_000,
		NumLayers: 61, HiddenDim: 7168, VocabSize: 163840,
		Attention: []Attention{{Kind: MLA, NumHeads: 64, QLoraRank: 1536, KVLoraRank: 512, QKNopeHeadDim: 128, QKRopeHeadDim: 64, VHeadDim: 128}},
		FFN:       []Width{{Layers: Selector{To: 1}, Value: 18432}},
		Experts: &Experts{NumExperts: 384, ActivePerToken: 8, IntermediateSize: 2048, Shared: 1, SharedIntermediateSize: 2048, Layers: 60,
			Distribution: model.Distribution{Kind: "zipf", S: 1.05}},
	},
}
