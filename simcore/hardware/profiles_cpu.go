package hardware

// cpuProfiles are the processors of the registry with the rates that their vendors
// published, in operations per second.
//
// A vector peak is cores x base clock x FMA pipes x lanes x 2 operations; matrix
// extensions are left out.
var cpuProfiles = []Profile{
	{
		ID: "apple-m2-cpu", Vendor: "Apple", Model: "M2 CPU", ReleaseDate: "2022-06-06",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M2 8-core CPU"},
		Sources: []Source{{"Apple M2 announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m2-pro-cpu", Vendor: "Apple", Model: "M2 Pro CPU", ReleaseDate: "2023-01-17",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M2 Pro 12-core CPU"},
		Sources: []Source{{"Apple M2 Pro and M2 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m2-max-cpu", Vendor: "Apple", Model: "M2 Max CPU", ReleaseDate: "2023-01-17",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M2 Max 12-core CPU"},
		Sources: []Source{{"Apple M2 Pro and M2 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m2-ultra-cpu", Vendor: "Apple", Model: "M2 Ultra CPU", ReleaseDate: "2023-06-05",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M2 Ultra 24-core CPU"},
		Sources: []Source{{"Apple M2 Ultra announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m3-cpu", Vendor: "Apple", Model: "M3 CPU", ReleaseDate: "2023-10-30",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M3 8-core CPU"},
		Sources: []Source{{"Apple M3, M3 Pro, and M3 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m3-pro-cpu", Vendor: "Apple", Model: "M3 Pro CPU", ReleaseDate: "2023-10-30",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M3 Pro 12-core CPU"},
		Sources: []Source{{"Apple M3, M3 Pro, and M3 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m3-max-cpu", Vendor: "Apple", Model: "M3 Max CPU", ReleaseDate: "2023-10-30",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M3 Max 16-core CPU"},
		Sources: []Source{{"Apple M3, M3 Pro, and M3 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m3-ultra-cpu", Vendor: "Apple", Model: "M3 Ultra CPU", ReleaseDate: "2025-03-05",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M3 Ultra 32-core CPU"},
		Sources: []Source{{"Apple M3 Ultra announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-cpu", Vendor: "Apple", Model: "M4 CPU", ReleaseDate: "2024-05-07",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M4 10-core CPU"},
		Sources: []Source{{"Apple M4 announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-pro-cpu", Vendor: "Apple", Model: "M4 Pro CPU", ReleaseDate: "2024-10-30",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M4 Pro 14-core CPU"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
	{
		ID: "apple-m4-max-cpu", Vendor: "Apple", Model: "M4 Max CPU", ReleaseDate: "2024-10-30",
		DeviceKind: CPU, Class: Integrated, Aliases: []string{"M4 Max 16-core CPU"},
		Sources: []Source{{"Apple M4 Pro and M4 Max announcement", "2026-07-20"}},
	},
	{
		ID: "intel-core-i5-13600k-cpu", Vendor: "Intel", Model: "Core i5-13600K CPU", ReleaseDate: "2022-10-20",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i5-13600K", "Raptor Lake"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-i7-13700k-cpu", Vendor: "Intel", Model: "Core i7-13700K CPU", ReleaseDate: "2022-10-20",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i7-13700K", "Raptor Lake"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-i9-13900k-cpu", Vendor: "Intel", Model: "Core i9-13900K CPU", ReleaseDate: "2022-10-20",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i9-13900K", "Raptor Lake"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-i5-14600k-cpu", Vendor: "Intel", Model: "Core i5-14600K CPU", ReleaseDate: "2023-10-17",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i5-14600K", "Raptor Lake Refresh"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-i7-14700k-cpu", Vendor: "Intel", Model: "Core i7-14700K CPU", ReleaseDate: "2023-10-17",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i7-14700K", "Raptor Lake Refresh"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-i9-14900k-cpu", Vendor: "Intel", Model: "Core i9-14900K CPU", ReleaseDate: "2023-10-17",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"i9-14900K", "Raptor Lake Refresh"},
		Sources: []Source{{"Intel Core desktop processor generations and launch dates", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-5-125h-cpu", Vendor: "Intel", Model: "Core Ultra 5 125H CPU", ReleaseDate: "2023-12-14",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 5 125H", "Meteor Lake"},
		Sources: []Source{{"Intel Core Ultra Series 1 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-7-165h-cpu", Vendor: "Intel", Model: "Core Ultra 7 165H CPU", ReleaseDate: "2023-12-14",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 7 165H", "Meteor Lake"},
		Sources: []Source{{"Intel Core Ultra Series 1 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-9-185h-cpu", Vendor: "Intel", Model: "Core Ultra 9 185H CPU", ReleaseDate: "2023-12-14",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 9 185H", "Meteor Lake"},
		Sources: []Source{{"Intel Core Ultra Series 1 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-5-245k-cpu", Vendor: "Intel", Model: "Core Ultra 5 245K CPU", ReleaseDate: "2024-10-24",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 5 245K", "Arrow Lake"},
		Sources: []Source{{"Intel Core Ultra Series 2 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-7-265k-cpu", Vendor: "Intel", Model: "Core Ultra 7 265K CPU", ReleaseDate: "2024-10-24",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 7 265K", "Arrow Lake"},
		Sources: []Source{{"Intel Core Ultra Series 2 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-core-ultra-9-285k-cpu", Vendor: "Intel", Model: "Core Ultra 9 285K CPU", ReleaseDate: "2024-10-24",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ultra 9 285K", "Arrow Lake"},
		Sources: []Source{{"Intel Core Ultra Series 2 product collection", "2026-07-20"}},
	},
	{
		ID: "intel-xeon-platinum-8480-plus-cpu", Vendor: "Intel", Model: "Xeon Platinum 8480+ CPU", ReleaseDate: "2023-01-10",
		DeviceKind: CPU, Class: Datacenter, Aliases: []string{"Xeon 8480+", "4th Gen Xeon", "Sapphire Rapids"},
		Sources: []Source{{"Intel Xeon Platinum 8480+ processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp64", 3.584e12, Vector, Dense, "", 0},
			{"fp32", 7.168e12, Vector, Dense, "", 0},
		},
	},
	{
		ID: "intel-xeon-platinum-8592-plus-cpu", Vendor: "Intel", Model: "Xeon Platinum 8592+ CPU", ReleaseDate: "2023-12-14",
		DeviceKind: CPU, Class: Datacenter, Aliases: []string{"Xeon 8592+", "5th Gen Xeon", "Emerald Rapids"},
		Sources: []Source{{"Intel Xeon Platinum 8592+ processor specifications", "2026-07-20"}},
	},
	{
		ID: "intel-xeon-6980p-cpu", Vendor: "Intel", Model: "Xeon 6980P CPU", ReleaseDate: "2024-09-24",
		DeviceKind: CPU, Class: Datacenter, Aliases: []string{"Xeon 6980P", "6th Gen Xeon", "Granite Rapids"},
		Sources: []Source{{"Intel Xeon 6980P processor specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp64", 8.192e12, Vector, Dense, "", 0},
			{"fp32", 16.384e12, Vector, Dense, "", 0},
		},
	},
	{
		ID: "amd-ryzen-5-7600x-cpu", Vendor: "AMD", Model: "Ryzen 5 7600X CPU", ReleaseDate: "2022-09-27",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 5 7600X", "Zen 4"},
		Sources: []Source{{"AMD Ryzen 7000 Series desktop processor quick reference guide", "2026-07-20"}},
	},
	{
		ID: "amd-ryzen-7-7700x-cpu", Vendor: "AMD", Model: "Ryzen 7 7700X CPU", ReleaseDate: "2022-09-27",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 7 7700X", "Zen 4"},
		Sources: []Source{{"AMD Ryzen 7000 Series desktop processor quick reference guide", "2026-07-20"}},
	},
	{
		ID: "amd-ryzen-9-7950x-cpu", Vendor: "AMD", Model: "Ryzen 9 7950X CPU", ReleaseDate: "2022-09-27",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 9 7950X", "Zen 4"},
		Sources: []Source{{"AMD Ryzen 7000 Series desktop processor quick reference guide", "2026-07-20"}},
	},
	{
		ID: "amd-ryzen-5-9600x-cpu", Vendor: "AMD", Model: "Ryzen 5 9600X CPU", ReleaseDate: "2024-08-08",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 5 9600X", "Zen 5"},
		Sources: []Source{{"AMD Ryzen 9000 Series desktop processors", "2026-07-20"}},
	},
	{
		ID: "amd-ryzen-7-9700x-cpu", Vendor: "AMD", Model: "Ryzen 7 9700X CPU", ReleaseDate: "2024-08-08",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 7 9700X", "Zen 5"},
		Sources: []Source{{"AMD Ryzen 9000 Series desktop processors", "2026-07-20"}},
	},
	{
		ID: "amd-ryzen-9-9950x-cpu", Vendor: "AMD", Model: "Ryzen 9 9950X CPU", ReleaseDate: "2024-08-15",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Ryzen 9 9950X", "Zen 5"},
		Sources: []Source{{"AMD Ryzen 9000 Series desktop processors", "2026-07-20"}},
	},
	{
		ID: "amd-threadripper-pro-7995wx-cpu", Vendor: "AMD", Model: "Ryzen Threadripper PRO 7995WX CPU", ReleaseDate: "2023-11-21",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Threadripper PRO 7995WX", "Storm Peak"},
		Sources: []Source{{"AMD Ryzen Threadripper PRO 7000 WX-Series announcement", "2026-07-20"}},
	},
	{
		ID: "amd-threadripper-pro-9995wx-cpu", Vendor: "AMD", Model: "Ryzen Threadripper PRO 9995WX CPU", ReleaseDate: "2025-07-23",
		DeviceKind: CPU, Class: Desktop, Aliases: []string{"Threadripper PRO 9995WX", "Shimada Peak"},
		Sources: []Source{{"AMD Ryzen Threadripper PRO 9000 WX-Series launch", "2026-07-20"}},
	},
	{
		ID: "amd-epyc-9654-cpu", Vendor: "AMD", Model: "EPYC 9654 CPU", ReleaseDate: "2022-11-10",
		DeviceKind: CPU, Class: Datacenter, Aliases: []string{"EPYC 9654", "EPYC 9004", "Genoa"},
		Sources: []Source{{"AMD EPYC 9654 product specifications", "2026-07-20"}},
		Peaks: []Peak{
			{"fp64", 3.6864e12, Vector, Dense, "", 0},
			{"fp32", 7.3728e12, Vector, Dense, "", 0},
		},
	},
	{
		ID: "amd-epyc-9965-cpu", Vendor: "AMD", Model: "EPYC 9965 CPU", ReleaseDate: "2024-10-10",
		DeviceKind: CPU, Class: Datacenter, Aliases: []string{"EPYC 9965", "EPYC 9005", "Turin Dense"},
		Sources: []Source{{"AMD EPYC 9005 Series processor specifications", "2026-07-20"}},
	},
	{
		ID: "qualcomm-snapdragon-x-plus-cpu", Vendor: "Qualcomm", Model: "Snapdragon X Plus CPU", ReleaseDate: "2024-06-18",
		DeviceKind: CPU, Class: Mobile, Aliases: []string{"Snapdragon X Plus", "X1P", "Oryon CPU"},
		Sources: []Source{{"Qualcomm Snapdragon X Plus specifications", "2026-07-20"}},
	},
	{
		ID: "qualcomm-snapdragon-x-elite-cpu", Vendor: "Qualcomm", Model: "Snapdragon X Elite CPU", ReleaseDate: "2024-06-18",
		DeviceKind: CPU, Class: Mobile, Aliases: []string{"Snapdragon X Elite", "X1E", "12-core Oryon CPU"},
		Sources: []Source{{"Qualcomm Snapdragon X Elite specifications", "2026-07-20"}},
	},
	{
		ID: "qualcomm-snapdragon-x2-elite-cpu", Vendor: "Qualcomm", Model: "Snapdragon X2 Elite CPU", ReleaseDate: "2026",
		DeviceKind: CPU, Class: Mobile, Aliases: []string{"Snapdragon X2 Elite", "X2E-88-100", "X2E-80-100", "Oryon CPU"},
		Sources: []Source{{"Qualcomm Snapdragon X2 Elite product brief", "2026-07-20"}},
	},
	{
		ID: "qualcomm-snapdragon-x2-elite-extreme-cpu", Vendor: "Qualcomm", Model: "Snapdragon X2 Elite Extreme CPU", ReleaseDate: "2026",
		DeviceKind: CPU, Class: Mobile, Aliases: []string{"Snapdragon X2 Elite Extreme", "X2E-96-100", "18-core Oryon CPU"},
		Sources: []Source{{"Qualcomm Snapdragon X2 Elite product brief", "2026-07-20"}},
	},
}
