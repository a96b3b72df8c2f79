import { Effect } from "effect"
import * as MemorySignatures from "../../../../src/adapters/memory/orchestrator/Signatures.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { signaturesSuite } from "../../../ports/orchestrator/Signatures.suite.ts"

const signer = Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")

signaturesSuite("memory Signatures", {
  layer: MemorySignatures.layer,
  signer,
  sign: (hash) => Effect.sync(() => MemorySignatures.sign(signer, hash)),
  authorize: (authorization) => Effect.sync(() => MemorySignatures.authorize(signer, authorization))
})
