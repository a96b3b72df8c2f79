/** Quotes of a token that is on no list, whose fee counts for what it sells for. */
import { Effect, Ref } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

export const UNLISTED = address(0xb9)

/** One of any number of owners. */
export const owner = (index: number): Address.Address =>
  Address.of(`0x${(0x10_000 + index).toString(16).padStart(40, "0")}`)

/** Wei for a whole token at the scene's prices: it is priced at a dollar. */
export const FAIR = Quoting.WHOLE / 2_000n

/** A scene in which the unlisted token has a price, and a fee in it sells for a part of it, in percent. */
export const make = Effect.fnUntraced(function* (percent: bigint, options: Quoting.Options = {}) {
  const scene = yield* Quoting.make(options)
  const profile = { chainId: Quoting.source.id, address: UNLISTED, tier: "tier3", symbol: "X", decimals: 18 } as const
  yield* Ref.update(scene.tokenRisk, (state) => ({ ...state, tokens: [...state.tokens, profile] }))
  const prices = new Map([
    [NATIVE, Quoting.NATIVE_USD],
    [Quoting.TOKEN, Quoting.USD],
    [UNLISTED, Quoting.USD],
    // The scene's exchange returns units for units, of 18 decimals for those of 6.
    [Quoting.STABLE, Quoting.USD / 10n ** 12n]
  ])
  yield* Ref.update(scene.prices, (state) => ({ ...state, prices: new Map([[Quoting.source.id, prices]]) }))
  yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [(FAIR * percent) / 100n, Quoting.WHOLE]]]))
  yield* (yield* scene.chain(Quoting.source.id)).setCode(UNLISTED, "0x60")
  return scene
})
