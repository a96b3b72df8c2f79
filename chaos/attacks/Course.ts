/** Course of a base fee, as data, so that another thread can follow it. */

/** The base fee is `high` in every second tooth of `toothMillis`, and `low` in the others. In wei per gas. */
export interface Course {
  readonly low: bigint
  readonly high: bigint
  readonly toothMillis: number
}

/** The same base fee all the time, in wei per gas. */
export const level = (baseFee: bigint): Course => ({ low: baseFee, high: baseFee, toothMillis: 1 })

/** True in a tooth of the high base fee. `millis` is Unix time. */
export const isHigh = ({ toothMillis }: Course, millis: number): boolean => Math.floor(millis / toothMillis) % 2 === 1

/** Base fee in wei per gas of a block that is mined at `millis` of Unix time. */
export const at = (course: Course, millis: number): bigint => (isHigh(course, millis) ? course.high : course.low)
