/** An operator's statement which of a chain's tokens are assets that other chains have, too. */
import { Schema } from "effect"
import * as Address from "./Address.ts"

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/

/** Addresses by the names of assets. */
const Tokens = Schema.Record(Schema.String, Address.NonZeroAddress).check(
  Schema.makeFilter(
    (tokens: Readonly<Record<string, Address.Address>>) =>
      Object.keys(tokens).every((name) => NAME.test(name)) ||
      "expected names of at most 32 letters, digits and . _ - that begin with a letter or digit"
  )
)

/** Fields of a chain. */
export const fields = {
  /**
   * Tokens of this chain by the name of their asset. Tokens of two chains under the same name are one asset: a bridge pays out one for
   * the other, at par. Default: none.
   */
  assets: Schema.optionalKey(Tokens)
}

const Assets = Schema.Struct(fields)
export type Assets = typeof Assets.Type

/** The contradiction in a chain's assets, for its operator; undefined without one. `own` are those that the operator states. */
export const objection = (
  chain: Assets & {
    readonly tokens: ReadonlyArray<{ readonly address: Address.Address }>
    readonly wrappedNative: Address.Address
  },
  own: ReadonlyArray<string>
): string | undefined => {
  const { assets = {}, tokens, wrappedNative } = chain
  const entries = Object.entries(assets)
  const twice = entries.find(([, token], index) => entries.findIndex(([, other]) => other === token) !== index)
  if (twice !== undefined) return `assets: ${twice[1]} is given to two assets`
  // The decimals of a token come from the list.
  const unlisted = entries.find(
    ([name, token]) => own.includes(name) && token !== wrappedNative && tokens.every(({ address }) => address !== token)
  )
  return unlisted === undefined
    ? undefined
    : `assets: ${unlisted[0]} is ${unlisted[1]}, which is not on the chain's token list`
}

interface Bridged extends Assets {
  readonly spokePool?: Address.Address | undefined
}

/** Chains with a bridge to which no token of another of the chains can be bridged, for want of a common asset. */
export const isolated = <A extends Bridged>(chains: ReadonlyArray<A>): ReadonlyArray<A> => {
  const bridged = chains.filter(({ spokePool }) => spokePool !== undefined)
  if (bridged.length < 2) return []
  const namesOf = ({ assets = {} }: Bridged) => Object.keys(assets)
  return bridged.filter((chain) => {
    const elsewhere = new Set(bridged.flatMap((other) => (other === chain ? [] : namesOf(other))))
    return !namesOf(chain).some((name) => elsewhere.has(name))
  })
}
