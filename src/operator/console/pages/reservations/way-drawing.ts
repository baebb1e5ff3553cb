import { type StatusMove, callbackMoves } from '../../../../reservations/moves.js';
import type { Move } from '../../../../reservations/reading/reservation-timeline.js';
import { type ReservationStatus, reservationStatuses } from '../../../../reservations/statuses.js';

/** A status where it is drawn. */
export interface DrawnStatus {
  readonly status: ReservationStatus;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isCurrent: boolean;
  /** Whether the reservation begins with it. */
  readonly isFirst: boolean;
}

/** An arrow from one status to another one. */
export interface DrawnMove extends StatusMove {
  /** Of an SVG path. */
  readonly d: string;
  /** Where its numbers stand. */
  readonly label: Point;
  /** The steps of the way that went along it, from 1 on. */
  readonly steps: readonly number[];
  /** Whether callbacks can make it. */
  readonly isCallback: boolean;
}

/** The state machine of callbacks with the way of a reservation. */
export interface WayDrawing {
  readonly width: number;
  readonly height: number;
  readonly statuses: readonly DrawnStatus[];
  readonly moves: readonly DrawnMove[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
  readonly height: number;
}

const height = 42;
/** Those that arrows lead to are in the middle; each has a place, which the compiler checks. */
const boxes: Readonly<Record<ReservationStatus, Box>> = {
  pending: { x: 10, y: 70, width: 220, height },
  pending_cheque_collection: { x: 10, y: 230, width: 220, height },
  approved: { x: 300, y: 70, width: 120, height },
  canceled: { x: 300, y: 230, width: 120, height },
  rejected: { x: 490, y: 70, width: 120, height },
  expired: { x: 490, y: 230, width: 120, height },
};

/** How far an arrow is beside the straight line, by how long that is: those of both directions part. */
const bend = 0.09;
/** Farther where it is short: the numbers of both directions do not touch. */
const leastBend = 26;
/** Of arrows that would go through another status. */
const wideBend = 0.24;
const wide = 350;

/** Draws what callbacks can do, from the tables that decide it, and the way that a reservation took. */
export function drawWay(way: readonly Move[]): WayDrawing {
  const steps = Map.groupBy(
    way.flatMap(({ from, to }, index) => {
      const move = from === null ? null : statusMove(from, to);
      return move === null ? [] : [{ ...move, step: index + 1 }];
    }),
    ({ from, to }) => `${from} ${to}`,
  );
  const possible = callbackMoves();
  const names = new Set(possible.map(({ from, to }) => `${from} ${to}`));
  const others = [...steps].flatMap(([name, [move]]) =>
    names.has(name) || move === undefined ? [] : [move],
  );
  const current = way.at(-1)?.to;
  const first = way.find(({ from }) => from === null)?.to;
  return {
    width: 620,
    height: 360,
    statuses: reservationStatuses.map((status) => ({
      status,
      ...boxes[status],
      isCurrent: status === current,
      isFirst: status === first,
    })),
    moves: [...possible, ...others].map(({ from, to }) => {
      const name = `${from} ${to}`;
      const taken = (steps.get(name) ?? []).map(({ step }) => step);
      return {
        from,
        to,
        ...curve(boxes[from], boxes[to]),
        steps: taken,
        isCallback: names.has(name),
      };
    }),
  };
}

/** Other programs may have stored a status that is none. */
function statusMove(from: string, to: string): StatusMove | null {
  const [start, end] = [from, to].map((name) => reservationStatuses.find((one) => one === name));
  return start === undefined || end === undefined ? null : { from: start, to: end };
}

function curve(from: Box, to: Box): Pick<DrawnMove, 'd' | 'label'> {
  const [start, end] = [centerOf(from), centerOf(to)];
  const [dx, dy] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(dx, dy);
  const factor = length > wide && dy === 0 ? wideBend : Math.max(bend, leastBend / length);
  // To the left of its direction.
  const control = {
    x: (start.x + end.x) / 2 + dy * factor,
    y: (start.y + end.y) / 2 - dx * factor,
  };
  const [begin, tip] = [borderPoint(from, control), borderPoint(to, control)];
  const label = {
    x: round((begin.x + 2 * control.x + tip.x) / 4),
    y: round((begin.y + 2 * control.y + tip.y) / 4),
  };
  const text = ({ x, y }: Point) => `${round(x)} ${round(y)}`;
  return { d: `M${text(begin)}Q${text(control)} ${text(tip)}`, label };
}

function centerOf({ x, y, ...box }: Box): Point {
  return { x: x + box.width / 2, y: y + box.height / 2 };
}

/** Where the line from the middle of a box to a point leaves it. */
function borderPoint(box: Box, point: Point): Point {
  const center = centerOf(box);
  const [dx, dy] = [point.x - center.x, point.y - center.y];
  const share = Math.min(
    dx === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(dx),
    dy === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(dy),
  );
  return { x: center.x + dx * share, y: center.y + dy * share };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
