/** Prints the result of a command: text for people, JSON for programs. */
import { Console, Effect, Schema } from "effect"
import { Flag } from "effect/cli"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON. Amounts are decimal strings"),
  Flag.withDefault(false)
)

export const printed = <A, I>(schema: Schema.Codec<A, I>, value: A, asJson: boolean, asText: (value: A) => string) =>
  asJson
    ? Effect.flatMap(Effect.orDie(Schema.encodeEffect(schema)(value)), (encoded) =>
        Console.log(JSON.stringify(encoded, null, 2))
      )
    : Console.log(asText(value))
