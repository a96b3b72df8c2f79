/** The overview's components about sweeps, in one script that is loaded after the overview. */
export { SweepStats } from "./SweepStats.tsx"
export { VolumeCard } from "./VolumeCard.tsx"
