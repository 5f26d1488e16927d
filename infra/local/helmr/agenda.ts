/** Where something is planned for a later instant; the AWS simulator's world and its schedule are such. */
export interface Agenda {
  at(time: number, run: () => void): void;
}
