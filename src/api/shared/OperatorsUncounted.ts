/** Exempts operators from a rate limit. */
import { Context } from "effect"

/** Annotates a group whose requests are not counted if they carry the operator's bearer token. Default: false. */
export const OperatorsUncounted = Context.Reference<boolean>("sweep/api/OperatorsUncounted", {
  defaultValue: () => false
})
