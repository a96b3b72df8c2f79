/** Parses sign-in messages (EIP-4361). */
import { Context, type Option } from "effect"
import type { SiweMessage } from "../../domain/Siwe.ts"

export class SignInMessages extends Context.Service<
  SignInMessages,
  {
    /** Fields of the message; none if the text does not match the grammar of EIP-4361. Checks no signature. */
    readonly parse: (text: string) => Option.Option<SiweMessage>
  }
>()("sweep/ports/SignInMessages") {}
