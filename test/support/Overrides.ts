/** Overrides of the operator in memory. They are read when a test changes them through a desk, or asks for it. */
import { Layer } from "effect"
import * as MemoryOverrides from "../../src/adapters/memory/orchestrator/Overrides.ts"
import { KeptOverrides } from "../../src/runtime/KeptOverrides.ts"

export const overrides = KeptOverrides.layerOnDemand.pipe(Layer.provideMerge(MemoryOverrides.layer))
