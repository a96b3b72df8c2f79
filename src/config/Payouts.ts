/** Settings of `./sweep payouts send`. */
import { secret } from "./Setting.ts"

export const payouts = {
  vaultKey: secret({
    name: "VAULT_KEY",
    required: true,
    meaning: "Private key of the vault, with which `./sweep payouts send` pays builders. No service reads it."
  })
} as const
