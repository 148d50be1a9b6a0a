package hardware

// npuProfiles are the neural processors of the registry with the rates that their vendors
// published, in operations per second.
var npuProfiles = []Profile{
	{
		ID: "intel-core-ultra-series-1-npu", Vendor: "Intel", Model: "Core Ultra Series 1 NPU", ReleaseDate: "2023-12-14",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Core Ultra Series 1"},
		Sources: []Source{{"Intel Core Ultra Series 1 NPU processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 11e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "intel-core-ultra-9-288v-npu", Vendor: "Intel", Model: "Core Ultra 9 288V NPU", ReleaseDate: "2024-09-03",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Core Ultra 9 288V"},
		Sources: []Source{{"Intel Core Ultra 9 288V NPU processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 48e12, NPUEngine, Dense, "", 0},
		},
	},
	{
		ID: "intel-core-ultra-9-285k-npu", Vendor: "Intel", Model: "Core Ultra 9 285K NPU", ReleaseDate: "2024-10-24",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Core Ultra 9 285K"},
		Sources: []Source{{"Intel Core Ultra 9 285K NPU processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 13e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "intel-core-ultra-9-285h-npu", Vendor: "Intel", Model: "Core Ultra 9 285H NPU", ReleaseDate: "2025-01-06",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Core Ultra 9 285H"},
		Sources: []Source{{"Intel Core Ultra 9 285H NPU processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 13e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "intel-core-ultra-x9-388h-npu", Vendor: "Intel", Model: "Core Ultra X9 388H NPU", ReleaseDate: "2026",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Core Ultra X9 388H"},
		Sources: []Source{{"Intel Core Ultra X9 388H NPU processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 50e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "qualcomm-cloud-ai-100-ultra", Vendor: "Qualcomm", Model: "Cloud AI 100 Ultra", ReleaseDate: "2023-11-15",
		DeviceKind: NPU, Class: Datacenter, Aliases: []string{"Cloud AI 100 Ultra"},
		Sources: []Source{{"Qualcomm Cloud AI 100 Ultra specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 870e12, NPUEngine, Unspecified, "", 0},
			{"fp16", 288e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "qualcomm-snapdragon-x-elite-npu", Vendor: "Qualcomm", Model: "Snapdragon X Elite Hexagon NPU", ReleaseDate: "2024-06-18",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Snapdragon X Elite Hexagon NPU"},
		Sources: []Source{{"Qualcomm Snapdragon X Elite Hexagon NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 45e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "qualcomm-snapdragon-x-plus-npu", Vendor: "Qualcomm", Model: "Snapdragon X Plus Hexagon NPU", ReleaseDate: "2024-06-18",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Snapdragon X Plus Hexagon NPU"},
		Sources: []Source{{"Qualcomm Snapdragon X Plus Hexagon NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 45e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "qualcomm-snapdragon-x2-elite-npu", Vendor: "Qualcomm", Model: "Snapdragon X2 Elite Hexagon NPU", ReleaseDate: "2026",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Snapdragon X2 Elite Hexagon NPU"},
		Sources: []Source{{"Qualcomm Snapdragon X2 Elite Hexagon NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 85e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "qualcomm-qcs8550-npu", Vendor: "Qualcomm", Model: "QCS8550 Hexagon NPU", ReleaseDate: "2023",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"QCS8550 Hexagon NPU"},
		Sources: []Source{{"Qualcomm QCS8550 Hexagon NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 48e12, NPUEngine, Dense, "", 0},
		},
	},
	{
		ID: "qualcomm-dragonwing-iq-9075-100-npu", Vendor: "Qualcomm", Model: "Dragonwing IQ-9075 100-TOPS NPU", ReleaseDate: "2024",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Dragonwing IQ-9075 100-TOPS NPU"},
		Sources: []Source{{"Qualcomm Dragonwing IQ-9075 100-TOPS NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 100e12, NPUEngine, Dense, "", 0},
		},
	},
	{
		ID: "qualcomm-dragonwing-iq-8275-40-npu", Vendor: "Qualcomm", Model: "Dragonwing IQ-8275 40-TOPS NPU", ReleaseDate: "2024",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"Dragonwing IQ-8275 40-TOPS NPU"},
		Sources: []Source{{"Qualcomm Dragonwing IQ-8275 40-TOPS NPU specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"int8", 40e12, NPUEngine, Dense, "", 0},
		},
	},
	{
		ID: "apple-m2-neural-engine", Vendor: "Apple", Model: "M2 Neural Engine", ReleaseDate: "2022-06-06",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M2 Neural Engine"},
		Sources: []Source{{"Apple M2 announcement", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 15.8e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "apple-m2-pro-neural-engine", Vendor: "Apple", Model: "M2 Pro Neural Engine", ReleaseDate: "2023-01-17",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M2 Pro Neural Engine"},
		Sources: []Source{{"Apple M2 Pro and M2 Max announcement", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 15.8e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "apple-m2-max-neural-engine", Vendor: "Apple", Model: "M2 Max Neural Engine", ReleaseDate: "2023-01-17",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M2 Max Neural Engine"},
		Sources: []Source{{"Apple M2 Pro and M2 Max announcement", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 15.8e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "apple-m2-ultra-neural-engine", Vendor: "Apple", Model: "M2 Ultra Neural Engine", ReleaseDate: "2023-06-05",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M2 Ultra Neural Engine"},
		Sources: []Source{{"Apple M2 Ultra announcement", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 31.6e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "apple-m4-neural-engine", Vendor: "Apple", Model: "M4 Neural Engine", ReleaseDate: "2024-05-07",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M4 Neural Engine"},
		Sources: []Source{{"Apple M4 announcement", "2026-07-20"}},
		Peaks: []Peak{
			{VendorAI, 38e12, NPUEngine, Unspecified, "", 0},
		},
	},
	{
		ID: "apple-m3-ultra-neural-engine", Vendor: "Apple", Model: "M3 Ultra Neural Engine", ReleaseDate: "2025-03-05",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M3 Ultra Neural Engine"},
		Sources: []Source{{"Apple M3 Ultra announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-pro-neural-engine", Vendor: "Apple", Model: "M4 Pro Neural Engine", ReleaseDate: "2024-10-30",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M4 Pro Neural Engine"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-max-neural-engine", Vendor: "Apple", Model: "M4 Max Neural Engine", ReleaseDate: "2024-10-30",
		DeviceKind: NPU, Class: Integrated, Aliases: []string{"M4 Max Neural Engine"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
}
