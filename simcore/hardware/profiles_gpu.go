package hardware

// gpuProfiles are the graphics processors of the registry with the rates that their vendors
// published, in operations per second.
//
// Rates that a vendor quotes with structured sparsity stand here as one half of
// the quoted value, recorded as dense. What a vendor does not disclose is missing;
// it is not inferred from relative claims or platform totals.
var gpuProfiles = []Profile{
	{
		ID: "nvidia-h100-sxm", Vendor: "NVIDIA", Model: "H100 SXM", ReleaseDate: "2022-10",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"H100"},
		Sources: []Source{{"NVIDIA H100 Tensor Core GPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 989.5e12, Tensor, Dense, "", 0},
			{"bf16", 989.5e12, Tensor, Dense, "", 0},
			{"fp8", 1979e12, Tensor, Dense, "", 0},
			{"int8", 1979e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-h200-sxm", Vendor: "NVIDIA", Model: "H200 SXM", ReleaseDate: "2024-04",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"H200"},
		Sources: []Source{{"NVIDIA H100 Tensor Core GPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 989.5e12, Tensor, Dense, "", 0},
			{"bf16", 989.5e12, Tensor, Dense, "", 0},
			{"fp8", 1979e12, Tensor, Dense, "", 0},
			{"int8", 1979e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-l4", Vendor: "NVIDIA", Model: "NVIDIA L4", ReleaseDate: "2023-03-21",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"L4"},
		Sources: []Source{{"NVIDIA L4 product specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 121e12, Tensor, Dense, "", 0},
			{"bf16", 121e12, Tensor, Dense, "", 0},
			{"fp8", 242.5e12, Tensor, Dense, "", 0},
			{"int8", 242.5e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-l40s", Vendor: "NVIDIA", Model: "NVIDIA L40S", ReleaseDate: "2023-08-08",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"L40S"},
		Sources: []Source{{"NVIDIA L40S product specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 362.05e12, Tensor, Dense, "", 0},
			{"bf16", 362.05e12, Tensor, Dense, "", 0},
			{"fp8", 733e12, Tensor, Dense, "", 0},
			{"int8", 733e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-geforce-rtx-4090", Vendor: "NVIDIA", Model: "GeForce RTX 4090", ReleaseDate: "2022-10-12",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RTX 4090", "AD102"},
		Sources: []Source{{"NVIDIA Ada GPU Architecture whitepaper, table 7", "2026-07-20"}},
		Peaks: []Peak{
			{"fp32", 82.6e12, GPUShader, Dense, "", 0},
			{"tf32", 82.6e12, Tensor, Dense, "fp32", 0},
			{"bf16", 165.2e12, Tensor, Dense, "fp32", 0},
			{"fp16", 165.2e12, Tensor, Dense, "fp32", 0},
			{"fp16", 330.3e12, Tensor, Dense, "fp16", 0},
			{"fp8", 330.3e12, Tensor, Dense, "fp32", 0},
			{"fp8", 660.6e12, Tensor, Dense, "fp16", 0},
			{"int8", 660.6e12, Tensor, Dense, "", 0},
			{"int4", 1321.2e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-geforce-rtx-5090", Vendor: "NVIDIA", Model: "GeForce RTX 5090", ReleaseDate: "2025-01-30",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RTX 5090"},
		Sources: []Source{{"NVIDIA RTX Blackwell GPU Architecture whitepaper, table 5", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 209.5e12, Tensor, Dense, "fp32", 0},
			{"bf16", 209.5e12, Tensor, Dense, "fp32", 0},
			{"fp16", 419e12, Tensor, Dense, "fp16", 0},
			{"fp8", 419e12, Tensor, Dense, "fp32", 0},
			{"fp8", 838e12, Tensor, Dense, "fp16", 0},
			{"fp4", 1676e12, Tensor, Dense, "fp32", 0},
			{"int8", 838e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-geforce-rtx-5080", Vendor: "NVIDIA", Model: "GeForce RTX 5080", ReleaseDate: "2025-01-30",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RTX 5080"},
		Sources: []Source{{"NVIDIA RTX Blackwell GPU Architecture whitepaper, table 5", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 112.6e12, Tensor, Dense, "fp32", 0},
			{"bf16", 112.6e12, Tensor, Dense, "fp32", 0},
			{"fp16", 225.1e12, Tensor, Dense, "fp16", 0},
			{"fp8", 225.1e12, Tensor, Dense, "fp32", 0},
			{"fp8", 450.2e12, Tensor, Dense, "fp16", 0},
			{"fp4", 900.4e12, Tensor, Dense, "fp32", 0},
			{"int8", 450.2e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-geforce-rtx-5070-ti", Vendor: "NVIDIA", Model: "GeForce RTX 5070 Ti", ReleaseDate: "2025-02-20",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RTX 5070 Ti"},
		Sources: []Source{{"NVIDIA RTX Blackwell GPU Architecture whitepaper, table 5", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 87.9e12, Tensor, Dense, "fp32", 0},
			{"bf16", 87.9e12, Tensor, Dense, "fp32", 0},
			{"fp16", 175.8e12, Tensor, Dense, "fp16", 0},
			{"fp8", 175.8e12, Tensor, Dense, "fp32", 0},
			{"fp8", 351.5e12, Tensor, Dense, "fp16", 0},
			{"fp4", 703e12, Tensor, Dense, "fp32", 0},
			{"int8", 351.5e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "nvidia-geforce-rtx-5070", Vendor: "NVIDIA", Model: "GeForce RTX 5070", ReleaseDate: "2025-03-05",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RTX 5070"},
		Sources: []Source{{"NVIDIA RTX Blackwell GPU Architecture whitepaper, table 5", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 61.7e12, Tensor, Dense, "fp32", 0},
			{"bf16", 61.7e12, Tensor, Dense, "fp32", 0},
			{"fp16", 123.5e12, Tensor, Dense, "fp16", 0},
			{"fp8", 123.5e12, Tensor, Dense, "fp32", 0},
			{"fp8", 246.9e12, Tensor, Dense, "fp16", 0},
			{"fp4", 493.9e12, Tensor, Dense, "fp32", 0},
			{"int8", 246.9e12, Tensor, Dense, "", 0},
		},
	},
	{
		ID: "amd-instinct-mi300x", Vendor: "AMD", Model: "Instinct MI300X", ReleaseDate: "2023-12-06",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"MI300X"},
		Sources: []Source{{"AMD Instinct MI300 Series accelerators specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"tf32", 653.7e12, Matrix, Dense, "fp32", 0},
			{"fp16", 1307.4e12, Matrix, Dense, "", 0},
			{"bf16", 1307.4e12, Matrix, Dense, "", 0},
			{"fp8", 2614.9e12, Matrix, Dense, "", 0},
			{"int8", 2614.9e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "amd-instinct-mi325x", Vendor: "AMD", Model: "Instinct MI325X", ReleaseDate: "2024-10-10",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"MI325X"},
		Sources: []Source{{"AMD Instinct MI300 Series accelerators specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"tf32", 653.7e12, Matrix, Dense, "fp32", 0},
			{"fp16", 1307.4e12, Matrix, Dense, "", 0},
			{"bf16", 1307.4e12, Matrix, Dense, "", 0},
			{"fp8", 2614.9e12, Matrix, Dense, "", 0},
			{"int8", 2614.9e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "amd-instinct-mi350x", Vendor: "AMD", Model: "Instinct MI350X", ReleaseDate: "2025-06-12",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"MI350X"},
		Sources: []Source{{"AMD CDNA 4 Architecture whitepaper, table 2", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 2300e12, Matrix, Dense, "", 0},
			{"bf16", 2300e12, Matrix, Dense, "", 0},
			{"fp8", 4600e12, Matrix, Dense, "", 0},
			{"fp6", 9200e12, Matrix, Dense, "", 0},
			{"fp4", 9200e12, Matrix, Dense, "", 0},
			{"int8", 4600e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "amd-instinct-mi355x", Vendor: "AMD", Model: "Instinct MI355X", ReleaseDate: "2025-06-12",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"MI355X"},
		Sources: []Source{{"AMD CDNA 4 Architecture whitepaper, table 2", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 2500e12, Matrix, Dense, "", 0},
			{"bf16", 2500e12, Matrix, Dense, "", 0},
			{"fp8", 5000e12, Matrix, Dense, "", 0},
			{"fp6", 10000e12, Matrix, Dense, "", 0},
			{"fp4", 10000e12, Matrix, Dense, "", 0},
			{"int8", 5000e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "amd-radeon-rx-9070-xt", Vendor: "AMD", Model: "Radeon RX 9070 XT", ReleaseDate: "2025-03-06",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RX 9070 XT", "Navi 48"},
		Sources: []Source{{"AMD Radeon RX 9070 XT product specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp32", 48.7e12, GPUShader, Dense, "", 0},
			{"fp16", 195e12, Matrix, Dense, "", 0},
			{"fp8", 389e12, Matrix, Dense, "", 0},
			{"int8", 389e12, Matrix, Dense, "", 0},
			{"int4", 779e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "amd-radeon-rx-7900-xtx", Vendor: "AMD", Model: "Radeon RX 7900 XTX", ReleaseDate: "2022-12-13",
		DeviceKind: GPU, Class: Desktop, Aliases: []string{"RX 7900 XTX", "Navi 31"},
		Sources: []Source{{"AMD Radeon RX 7900 XTX product specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp16", 123e12, Matrix, Dense, "", 0},
			{"int8", 123e12, Matrix, Dense, "", 0},
			{"int4", 246e12, Matrix, Dense, "", 0},
		},
	},
	{
		ID: "intel-gaudi-2", Vendor: "Intel", Model: "Gaudi 2", ReleaseDate: "2022-05-10",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"Habana Gaudi2", "HL-225B"},
		Sources: []Source{{"Intel Gaudi 3 AI Accelerator whitepaper", "2026-07-20"}},
		Peaks: []Peak{
			{"bf16", 432e12, Matrix, Unspecified, "", 0},
			{"fp8", 865e12, Matrix, Unspecified, "", 0},
		},
	},
	{
		ID: "intel-gaudi-3", Vendor: "Intel", Model: "Gaudi 3", ReleaseDate: "2024-04-09",
		DeviceKind: GPU, Class: Datacenter, Aliases: []string{"Habana Gaudi3", "HL-325L"},
		Sources: []Source{{"Intel Gaudi 3 AI Accelerator whitepaper", "2026-07-20"}},
		Peaks: []Peak{
			{"fp32", 229e12, Matrix, Unspecified, "fp32", 0},
			{"tf32", 459e12, Matrix, Unspecified, "fp32", 0},
			{"fp16", 459e12, Matrix, Unspecified, "fp32", 0},
			{"bf16", 1678e12, Matrix, Unspecified, "fp32", 0},
			{"fp8", 1678e12, Matrix, Unspecified, "fp32", 0},
		},
	},
	{
		ID: "apple-m3-ultra-gpu", Vendor: "Apple", Model: "M3 Ultra GPU", ReleaseDate: "2025-03-05",
		DeviceKind: GPU, Class: Integrated, Aliases: []string{"M3 Ultra GPU"},
		Sources: []Source{{"Apple M3 Ultra announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-pro-gpu", Vendor: "Apple", Model: "M4 Pro GPU", ReleaseDate: "2024-10-30",
		DeviceKind: GPU, Class: Integrated, Aliases: []string{"M4 Pro GPU"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-max-gpu", Vendor: "Apple", Model: "M4 Max GPU", ReleaseDate: "2024-10-30",
		DeviceKind: GPU, Class: Integrated, Aliases: []string{"M4 Max GPU"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-x9-388h-gpu", Vendor: "Intel", Model: "Core Ultra X9 388H Xe3 GPU", ReleaseDate: "2026-01-05",
		DeviceKind: GPU, Class: Integrated, Aliases: []string{"Panther Lake Xe3 iGPU"},
		Sources: []Source{{"Intel Core Ultra X9 388H product specification", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 120e12, Matrix, Dense, "", 0},
			{"fp32", 7.7e12, Vector, Dense, "", 0},
		},
	},
	{
		ID: "intel-core-ultra-9-285k-gpu", Vendor: "Intel", Model: "Core Ultra 9 285K Xe-LPG GPU", ReleaseDate: "2024-10-24",
		DeviceKind: GPU, Class: Integrated, Aliases: []string{"Arrow Lake-S iGPU"},
		Sources: []Source{{"Intel Core Ultra 9 285K product specification", "2026-07-20"}},
		Peaks: []Peak{
			{"fp32", 2e12, Vector, Dense, "", 0},
			{"fp16", 2e12, Vector, Dense, "", 0},
		},
	},
}
