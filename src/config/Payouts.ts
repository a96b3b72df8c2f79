/** Settings of `./sweep payouts send`. */
import { secret } from "./Setting.ts"

export const payouts = {
  vaultKey: secret({
    name: "VAULT_KEY",
    required: true,
    meaning:
      "Key of the vault, as a private key or in a form of `RELAYER_KEYS`, with which `./sweep payouts send` pays builders. No service reads it."
  })
} as const
