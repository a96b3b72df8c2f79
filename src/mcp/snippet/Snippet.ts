/**
 * Generates a module for integrators who do not use the client: it needs viem and fetch, and makes the same checks as the client.
 * Each part is the source of some of the module's declarations, without template literals, so that it can stand in one.
 */
import { BRIDGE_CALL } from "./BridgeCall.ts"
import { configuration, type SnippetOptions } from "./Configuration.ts"
import { PURCHASE_CALL } from "./PurchaseCall.ts"
import { REQUESTS } from "./Requests.ts"
import { REVIEW } from "./Review.ts"
import { SIGNING } from "./Signing.ts"
import { SWAP_CALL } from "./SwapCall.ts"
import { DECLARATIONS } from "./Types.ts"
import { VENUE_CALL } from "./VenueCall.ts"
import { WALLET } from "./Wallet.ts"

const IMPORTS = `\
// Sweeps tokens without gas: quote, review, sign, submit, follow. Needs viem, and runs in browsers, Node and Bun.
// sweep takes one token, and sweepWallet many under one signature. Set DELEGATE before you use them.
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex, parseAbi, toFunctionSelector, type TypedDataDomain } from "viem"
`

/** Returns the source of a TypeScript module that exports `sweep`, `sweepWallet` and their steps. */
export const snippet = (options: SnippetOptions): string =>
  [
    IMPORTS,
    configuration(options),
    DECLARATIONS,
    REQUESTS,
    BRIDGE_CALL,
    SWAP_CALL,
    VENUE_CALL,
    PURCHASE_CALL,
    REVIEW,
    SIGNING,
    WALLET
  ].join("\n")
