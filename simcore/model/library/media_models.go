package library

// mediaModels are dense models that read pictures or sound, by size.
var mediaModels = []Architecture{
	{
		ID: "gemma-4-e2b", Name: "Gemma-4-E2B", PublishedParams: 5_100_000_000,
		NumLayers: 35, HiddenDim: 1536, VocabSize: 262144, TiedEmbeddings: true, PerLayerEmbeddingDim: 256,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{From: 15, Period: 5, Phase: 4}, NumHeads: 8, HeadDim: 512},
			{Kind: GQA, Layers: Selector{From: 15}, NumHeads: 8, HeadDim: 256},
			{Kind: GQA, Layers: Selector{Period: 5, Phase: 4}, NumHeads: 8, NumKVHeads: 1, HeadDim: 512},
			{Kind: GQA, NumHeads: 8, NumKVHeads: 1, HeadDim: 256},
		},
		FFN:         []Width{{Layers: Selector{From: 15}, Value: 12288}, {Value: 6144}},
		Speculation: &Speculation{Families: []string{"mtp"}, DrafterParams: 77_000_000},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only", TokensPerItem: 280,
				Encoder: ViT{NumLayers: 16, HiddenDim: 768, NumHeads: 12, IntermediateSize: 3072, PatchSize: 16, TemporalPatchSize: 1, InChannels: 3}},
			{ID: "audio_encoder", Role: "audio_encoder", Phase: "prompt_only",
				Encoder: ConvTransformer{NumLayers: 12, HiddenDim: 1024, NumHeads: 8, IntermediateSize: 4096, MelBins: 128, ConvKernelSize: 3, ConvLayers: 2}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "image", DecoderTokensPerItem: 280, ComponentIDs: []string{"vision_encoder"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 280, ComponentIDs: []string{"vision_encoder"}},
		},
	},
	{
		ID: "gemma-4-12b", Name: "Gemma-4-12B", PublishedParams: 12_000_000_000,
		NumLayers: 48, HiddenDim: 3840, VocabSize: 262144, TiedEmbeddings: true,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{Period: 6, Phase: 5}, NumHeads: 16, NumKVHeads: 1, HeadDim: 512},
			{Kind: GQA, NumHeads: 16, NumKVHeads: 8, HeadDim: 256},
		},
		FFN:         []Width{{Value: 15360}},
		Speculation: &Speculation{Families: []string{"mtp"}, DrafterParams: 384_000_000},
		Components: []Component{
			{ID: "patch_embedder", Role: "projector", Phase: "prompt_only", TokensPerItem: 280,
				Projector: &Projector{768, 3840, 3840}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "image", DecoderTokensPerItem: 280, ComponentIDs: []string{"patch_embedder"}},
			{Modality: "audio", Unit: "second of audio", DecoderTokensPerItem: 25, ComponentIDs: []string{"patch_embedder"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 280, ComponentIDs: []string{"patch_embedder"}},
		},
	},
	{
		ID: "qwen3.6-27b", Name: "Qwen3.6-27B", PublishedParams: 27_000_000_000,
		NumLayers: 64, HiddenDim: 5120, VocabSize: 248320,
		Attention: []Attention{
			{Kind: GQA, Layers: Selector{Period: 4, Phase: 3}, NumHeads: 24, NumKVHeads: 4, HeadDim: 256},
			{Kind: Linear, NumKeyHeads: 16, KeyHeadDim: 128, NumValueHeads: 48, ValueHeadDim: 128, ConvKernelDim: 4},
		},
		FFN:         []Width{{Value: 17408}},
		Speculation: &Speculation{Families: []string{"mtp"}, DrafterParams: 470_000_000},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 27, HiddenDim: 1152, NumHeads: 16, IntermediateSize: 4304, PatchSize: 16, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{4608, 4608, 5120}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "512x512 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "qwen3-vl-4b", Name: "Qwen3-VL-4B", PublishedParams: 4_400_000_000,
		NumLayers: 36, HiddenDim: 2560, VocabSize: 151936, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 9728}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 24, HiddenDim: 1024, NumHeads: 16, IntermediateSize: 4096, PatchSize: 16, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{4096, 4096, 2560}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "512x512 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "qwen2.5-vl-7b", Name: "Qwen2.5-VL-7B", PublishedParams: 8_290_000_000,
		NumLayers: 28, HiddenDim: 3584, VocabSize: 152064,
		Attention: []Attention{{Kind: GQA, NumHeads: 28, NumKVHeads: 4, HeadDim: 128}},
		FFN:       []Width{{Value: 18944}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 32, HiddenDim: 1280, NumHeads: 16, IntermediateSize: 3420, GatedMLP: true, PatchSize: 14, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{5120, 5120, 3584}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "448x448 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 512, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "qwen3-vl-8b", Name: "Qwen3-VL-8B", PublishedParams: 8_800_000_000,
		NumLayers: 36, HiddenDim: 4096, VocabSize: 151936,
		Attention: []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:       []Width{{Value: 12288}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 27, HiddenDim: 1152, NumHeads: 16, IntermediateSize: 4304, PatchSize: 16, TemporalPatchSize: 2, InChannels: 3}},
			{ID: "vision_merger", Role: "projector", Phase: "prompt_only", TokensPerItem: 256,
				Projector: &Projector{4608, 4608, 4096}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "512x512 image", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
			{Modality: "video", Unit: "second of video", DecoderTokensPerItem: 256, ComponentIDs: []string{"vision_encoder", "vision_merger"}},
		},
	},
	{
		ID: "llama-3.2-11b-vision", Name: "Llama-3.2-11B-Vision", PublishedParams: 10_600_000_000,
		NumLayers: 40, HiddenDim: 4096, VocabSize: 128256,
		Attention:      []Attention{{Kind: GQA, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		CrossAttention: []Attention{{Kind: GQA, Layers: Selector{From: 3, To: 39, Period: 5, Phase: 3}, NumHeads: 32, NumKVHeads: 8, HeadDim: 128}},
		FFN:            []Width{{Value: 14336}},
		Components: []Component{
			{ID: "vision_encoder", Role: "vision_encoder", Phase: "prompt_only",
				Encoder: ViT{NumLayers: 40, HiddenDim: 1280, NumHeads: 16, IntermediateSize: 5120, PatchSize: 14, TemporalPatchSize: 1, InChannels: 3}},
			{ID: "multi_modal_projector", Role: "projector", Phase: "prompt_only",
				Projector: &Projector{7680, 4096, 4096}},
		},
		MediaInputs: []MediaInput{
			{Modality: "image", Unit: "image", ComponentIDs: []string{"vision_encoder", "multi_modal_projector"}},
		},
	},
	{
		ID: "whisper-large-v3", Name: "Whisper-large-v3", PublishedParams: 1_550_000_000,
		NumLayers: 32, HiddenDim: 1280, VocabSize: 51866, TiedEmbeddings: true, UngatedFFN: true,
		Attention:      []Attention{{Kind: GQA, NumHeads: 20, NumKVHeads: 20, HeadDim: 64}},
		CrossAttention: []Attention{{Kind: GQA, NumHeads: 20, NumKVHeads: 20, HeadDim: 64}},
		FFN:            []Width{{Value: 5120}},
		Components: []Component{
			{ID: "audio_encoder", Role: "audio_encoder", Phase: "prompt_only",
				Encoder: ConvTransformer{NumLayers: 32, HiddenDim: 1280, NumHeads: 20, IntermediateSize: 5120, MelBins: 128, ConvKernelSize: 3, ConvLayers: 2}},
		},
		MediaInputs: []MediaInput{
			{Modality: "audio", Unit: "30 second window", ComponentIDs: []string{"audio_encoder"}},
		},
	},
}
