/** EIP-7702 delegation: authorizations of owners, and the code of delegated accounts. */
import { Effect, Option, Schema, SchemaTransformation } from "effect"
import { concatHex, keccak256, numberToHex, pad, toRlp } from "viem"
import * as Address from "./Address.ts"
import { type Hash, type Hex, Prefixed } from "./Hex.ts"
import { described } from "./Described.ts"

const MAX_UINT64 = 2n ** 64n - 1n

const IntegerText = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^(?:[0-9]{1,20}|0x[0-9a-fA-F]{1,16})$/, {
      message: "expected an integer, a decimal string or a JSON-RPC quantity"
    })
  )
)

const Word = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/, { message: "expected at most 32 bytes as 0x-prefixed hex" })),
  Schema.decodeTo(
    Prefixed,
    SchemaTransformation.transform({
      decode: (text) => pad(text.toLowerCase() as Hex, { size: 32 }),
      encode: (word): string => word
    })
  )
)

/** Any chain id, including 0, which means every chain. A separate check compares it with the order's chain. */
const ChainIdInput = Schema.Union([Schema.Int, IntegerText]).pipe(
  Schema.decodeTo(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    SchemaTransformation.transform({ decode: (value) => Number(value), encode: (value) => value })
  )
)

const AccountNonce = Schema.Union([Schema.Int, IntegerText]).pipe(
  Schema.decodeTo(
    Schema.BigInt.pipe(
      Schema.check(
        Schema.makeFilter(
          (value: bigint) => (value >= 0n && value <= MAX_UINT64) || "expected an account nonce (uint64)"
        )
      )
    ),
    SchemaTransformation.transform({ decode: (value) => BigInt(value), encode: (value) => value.toString() })
  )
)

const Parity = Schema.Union([Schema.Literals([0, 1, "0", "1", "0x0", "0x1"]), Schema.Null])
  .annotate({ message: "expected 0 or 1" })
  .pipe(
    Schema.decodeTo(
      Schema.Literals([0, 1]),
      SchemaTransformation.transform({
        decode: (value) => (value !== null && Number(value) === 1 ? 1 : 0),
        encode: (parity) => parity
      })
    )
  )

/**
 * Signed authorization in a request. Wallets disagree on the types of its numbers, so integers, decimal strings and JSON-RPC
 * quantities are accepted. `yParity` is 0 if the wallet library returned none (spec, "Authorization").
 */
export const Authorization = Schema.Struct({
  address: described(Address.Address, "Delegate contract of the source chain."),
  chainId: described(ChainIdInput, "Source chain, as an integer, a decimal string or a JSON-RPC quantity."),
  nonce: described(
    AccountNonce,
    "Next transaction nonce of the owner's account, as an integer, a decimal string or a JSON-RPC quantity."
  ),
  r: described(Word, "First half of the signature."),
  s: described(Word, "Second half of the signature."),
  yParity: described(
    Parity.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0 as const))),
    "Parity of the signature. Default: 0, also for null."
  )
}).annotate({ identifier: "Authorization", description: "A signed EIP-7702 authorization for the chain's delegate" })

export type Authorization = typeof Authorization.Type

/** RLP encodes an integer as its shortest big-endian bytes; zero has no bytes. */
const integer = (value: bigint): Hex => (value === 0n ? "0x" : numberToHex(value))

/** Signed hash of an authorization: keccak256(0x05 ‖ rlp([chainId, address, nonce])) (EIP-7702). */
export const authorizationHash = (authorization: Pick<Authorization, "chainId" | "address" | "nonce">): Hash => {
  return keccak256(
    concatHex([
      "0x05",
      toRlp([integer(BigInt(authorization.chainId)), authorization.address, integer(authorization.nonce)])
    ])
  )
}

const DESIGNATOR_PREFIX = "0xef0100"

/** Code of an account that is delegated to `delegate`: 0xef0100 ‖ address (EIP-7702). */
export const designator = (delegate: Address.Address): Hex => `${DESIGNATOR_PREFIX}${delegate.slice(2).toLowerCase()}`

/** Classifies an account by its code. */
export type AccountCode =
  | { readonly _tag: "Plain" }
  | { readonly _tag: "Delegated"; readonly delegate: Address.Address }
  | { readonly _tag: "Contract" }

export const accountCode = (code: Hex): AccountCode => {
  if (code === "0x") return { _tag: "Plain" }
  const lower = code.toLowerCase()
  return lower.startsWith(DESIGNATOR_PREFIX) && lower.length === DESIGNATOR_PREFIX.length + 40
    ? { _tag: "Delegated", delegate: Address.of(`0x${lower.slice(DESIGNATOR_PREFIX.length)}`) }
    : { _tag: "Contract" }
}

/** Delegate of an account, if its code is a delegation. */
export const delegateOf = (code: Hex): Option.Option<Address.Address> => {
  const account = accountCode(code)
  return account._tag === "Delegated" ? Option.some(account.delegate) : Option.none()
}
