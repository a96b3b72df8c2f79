/** The local network of `./sweep dev`, for commands without the settings of another deployment. */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import * as DevNetwork from "../devnet/DevNetwork.ts"
import { DevInfo } from "../devnet/DevInfo.ts"
import { projectRoot } from "./Project.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(DevInfo))

export interface LocalNetwork {
  readonly info: DevInfo
  readonly file: string
  readonly chainsFile: string
}

/** The network of `.sweep/dev.json` in the working directory or else in the checkout. None if no network runs. */
export const running: Effect.Effect<Option.Option<LocalNetwork>, never, FileSystem.FileSystem | Path.Path> = Effect.gen(
  function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    for (const root of [".", projectRoot]) {
      const directory = path.resolve(root, ".sweep")
      const file = path.join(directory, DevNetwork.FILE)
      const info = yield* Effect.option(Effect.flatMap(fs.readFileString(file), decode))
      if (Option.isSome(info)) {
        return Option.some({ info: info.value, file, chainsFile: path.join(directory, DevNetwork.CHAINS_FILE) })
      }
    }
    return Option.none()
  }
)
