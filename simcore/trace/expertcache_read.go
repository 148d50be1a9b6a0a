package trace

import (
	"github.com/inferlab/inferlab/simcore/document"
	"github.com/inferlab/inferlab/simcore/workload"
)

// ReadExpertCache reads a cache's configuration in the spelling of WriteExpertCache.
// Whether its values are right is for the cache to say.
func ReadExpertCache(n document.Node) workload.ExpertCache { return readExpertCache(n) }
