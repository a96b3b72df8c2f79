/** Settings of `./sweep sweep`. */
import { secret } from "./Setting.ts"

export const wallet = {
  ownerKey: secret({
    name: "OWNER_KEY",
    required: true,
    meaning: "Private key of the account whose tokens `./sweep sweep` sweeps. No service reads it."
  })
} as const
