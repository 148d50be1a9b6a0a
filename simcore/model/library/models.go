package library

import "slices"

// models is the whole library in the order in which it is listed.
var models = slices.Concat(languageModels, mediaModels, imageModels, expertModels)
