package library

// imageModels are image generators, by size.
var imageModels = []Architecture{
	{
		ID: "flux-1-schnell", Name: "FLUX.1-schnell", PublishedParams: 17_000_000_000,
		NumLayers: 57, HiddenDim: 3072, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 24, NumKVHeads: 24, HeadDim: 128}},
		Diffusion: &Diffusion{MMDiT: &MMDiT{DualBlocks: 19, SingleBlocks: 38, MLPRatio: 4, DualModulationChunks: 6, SingleModulationChunks: 3, PatchSize: 2},
			VAEFactor: 8, DefaultResolutionPx: 1024, DenoisingSteps: 4},
		Components: []Component{clipL, t5xxl, vaeDecoder(16)},
	},
	{
		ID: "flux-1-dev", Name: "FLUX.1-dev", PublishedParams: 17_000_000_000,
		NumLayers: 57, HiddenDim: 3072, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 24, NumKVHeads: 24, HeadDim: 128}},
		Diffusion: &Diffusion{MMDiT: &MMDiT{DualBlocks: 19, SingleBlocks: 38, MLPRatio: 4, DualModulationChunks: 6, SingleModulationChunks: 3, PatchSize: 2},
			VAEFactor: 8, DefaultResolutionPx: 1024, DenoisingSteps: 50},
		Components: []Component{clipL, t5xxl, vaeDecoder(16)},
	},
	{
		ID: "stable-diffusion-1.5", Name: "Stable-Diffusion-1.5", PublishedParams: 1_070_000_000,
		HiddenDim: 1280, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 8, NumKVHeads: 8, HeadDim: 40}},
		Diffusion: &Diffusion{UNet: &UNet{Widths: []int64{320, 640, 1280, 1280}, Depths: []int64{1, 1, 1, 1}, CrossAttentionDim: 768, ResnetLayersPerBlock: 2,
			DownAttention: []bool{true, true, true, false}, UpAttention: []bool{false, true, true, true},
			LatentChannels: 4, TimeEmbedDim: 1280},
			VAEFactor: 8, DefaultResolutionPx: 512, DenoisingSteps: 20, ClassifierFreeGuidance: true},
		Components: []Component{clipL, vaeDecoder(4)},
	},
	{
		ID: "stable-diffusion-xl", Name: "Stable-Diffusion-XL", PublishedParams: 3_500_000_000,
		HiddenDim: 1280, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 20, NumKVHeads: 20, HeadDim: 64}},
		Diffusion: &Diffusion{UNet: &UNet{Widths: []int64{320, 640, 1280}, Depths: []int64{1, 2, 10}, CrossAttentionDim: 2048, ResnetLayersPerBlock: 2,
			DownAttention: []bool{false, true, true}, UpAttention: []bool{true, true, false},
			LatentChannels: 4, TimeEmbedDim: 1280, AdditionalEmbedDim: 2816},
			VAEFactor: 8, DefaultResolutionPx: 1024, DenoisingSteps: 30, ClassifierFreeGuidance: true},
		Components: []Component{clipL, openCLIPBigG, vaeDecoder(4)},
	},
	{
		ID: "stable-diffusion-3.5-large", Name: "Stable-Diffusion-3.5-Large", PublishedParams: 13_700_000_000,
		NumLayers: 38, HiddenDim: 2432, TiedEmbeddings: true,
		Attention: []Attention{{Kind: GQA, NumHeads: 38, NumKVHeads: 38, HeadDim: 64}},
		Diffusion: &Diffusion{MMDiT: &MMDiT{DualBlocks: 38, SingleBlocks: 0, MLPRatio: 4, DualModulationChunks: 6, SingleModulationChunks: 3, PatchSize: 2},
			VAEFactor: 8, DefaultResolutionPx: 1024, DenoisingSteps: 40, ClassifierFreeGuidance: true},
		Components: []Component{clipL, openCLIPBigG, t5xxl, vaeDecoder(16)},
	},
}

// Text encoders that several generators share.
var (
	clipL = Component{ID: "text_encoder_clip_l", Role: "text_encoder", Phase: "prompt_only",
		Encoder:        ViT{NumLayers: 12, HiddenDim: 768, NumHeads: 12, IntermediateSize: 3072},
		TokenEmbedding: &TokenEmbedding{49408, 768}}
	t5xxl = Component{ID: "text_encoder_t5xxl", Role: "text_encoder", Phase: "prompt_only",
		Encoder:        ViT{NumLayers: 24, HiddenDim: 4096, NumHeads: 64, IntermediateSize: 10240, GatedMLP: true},
		TokenEmbedding: &TokenEmbedding{32128, 4096}}
	openCLIPBigG = Component{ID: "text_encoder_openclip_bigg", Role: "text_encoder", Phase: "prompt_only",
		Encoder:        ViT{NumLayers: 32, HiddenDim: 1280, NumHeads: 20, IntermediateSize: 5120},
		TokenEmbedding: &TokenEmbedding{49408, 1280}}
)

// vaeDecoder is the image decoder of a latent space with the given channels.
func vaeDecoder(latentChannels int64) Component {
	return Component{ID: "vae_decoder", Role: "vae_decoder", Phase: "final_only",
		Encoder: ConvDecoder{LatentChannels: latentChannels, OutputChannels: 3, Widths: []int64{128, 256, 512, 512}, LayersPerBlock: 2}}
}
