/** Faults of services that are asked over HTTP. A lie changes one term of an honest answer. Pure. */
import * as Address from "../../domain/Address.ts"
import * as Draws from "./Draws.ts"

/** Terms of a swap that a lie changes. */
export const LIES = ["recipient", "spender", "amount", "chain", "target", "token", "minimum", "output"] as const
export type Lie = (typeof LIES)[number]

export type Fault =
  | { readonly _tag: "Lie"; readonly about: Lie }
  | { readonly _tag: "Down"; readonly status: number }
  | { readonly _tag: "Nonsense" }
  /** Answers long after any deadline. */
  | { readonly _tag: "Late" }
  /** Closes the connection within the answer. */
  | { readonly _tag: "Cut" }

/** `honest`: no faults. Otherwise every answer has a fault of that kind. `mixed`: every second answer has any of them. */
export const MOODS = ["honest", "lying", "dying", "lagging", "mixed"] as const
export type Mood = (typeof MOODS)[number]

/** Receives nothing on any network. */
export const STRANGER = Address.of(`0x${"bad0".repeat(10)}`)

const dead = (draw: Draws.Draws): Fault =>
  draw.one<Fault>([
    { _tag: "Down", status: 503 },
    { _tag: "Down", status: 500 },
    { _tag: "Down", status: 429 },
    { _tag: "Nonsense" },
    { _tag: "Cut" }
  ])

const lie = (draw: Draws.Draws): Fault => ({ _tag: "Lie", about: draw.one(LIES) })

/** The fault of the answer to a request, by its number. Undefined for an honest answer. */
export const faultOf = (mood: Mood, seed: number, request: number): Fault | undefined => {
  const draw = Draws.of(seed, request)
  switch (mood) {
    case "honest":
      return undefined
    case "lying":
      return lie(draw)
    case "dying":
      return dead(draw)
    case "lagging":
      return { _tag: "Late" }
    case "mixed":
      return draw.fraction() < 0.5 ? undefined : draw.one([lie(draw), dead(draw), { _tag: "Late" } as const])
  }
}

/** Terms that an answer states, in calldata and beside it. */
export interface Terms {
  readonly chainId: number
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly minAmountOut: bigint
  readonly recipient: Address.Address
  readonly spender: Address.Address
  readonly target: Address.Address
}

/** The terms with one of them changed as an attacker would. */
export const told = (terms: Terms, about: Lie | undefined): Terms => {
  switch (about) {
    case undefined:
      return terms
    case "recipient":
      return { ...terms, recipient: STRANGER }
    case "spender":
      return { ...terms, spender: STRANGER }
    case "target":
      return { ...terms, target: STRANGER, spender: STRANGER }
    case "amount":
      return { ...terms, amountIn: terms.amountIn * 2n }
    case "chain":
      return { ...terms, chainId: terms.chainId + 1 }
    case "token":
      return { ...terms, tokenOut: STRANGER }
    case "minimum":
      // A promise that nothing in the calldata keeps.
      return { ...terms, amountOut: terms.amountOut * 2n, minAmountOut: 1n }
    case "output":
      // A promise that the calldata makes too, so that the swap reverts.
      return { ...terms, amountOut: terms.amountOut * 2n, minAmountOut: terms.minAmountOut * 2n }
  }
}
