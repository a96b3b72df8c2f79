/** Settings of `./sweep deploy`. */
import { secret } from "./Setting.ts"

export const deployment = {
  deployerKey: secret({
    name: "DEPLOYER_KEY",
    required: true,
    meaning: "Private key that pays for `./sweep deploy`. It gets no rights in the contracts."
  })
} as const
