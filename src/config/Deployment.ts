/** Settings of `./sweep deploy` and `./sweep targets`. */
import { secret } from "./Setting.ts"

export const deployment = {
  deployerKey: secret({
    name: "DEPLOYER_KEY",
    required: true,
    meaning: "Private key that pays for `./sweep deploy`. It gets no rights in the contracts."
  }),
  guardOwnerKey: secret({
    name: "GUARD_OWNER_KEY",
    meaning:
      "Key of the guard's owner, as a private key or in a form of `RELAYER_KEYS`, with which `./sweep targets` sends its changes. If not set, the command prints the transaction for a Safe. No service reads it."
  })
} as const
