// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { Vm } from "forge-std/Vm.sol";
import { DevToken } from "../src/dev/DevToken.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { ISweepGuard, Kind, SweepReport } from "../src/interfaces/ISweepGuard.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice Sweeps, replays, tampered orders, cancellations and nested orders, in any sequence.
contract SweepHandler is MockScene {
    uint256 public constant OWNERS = 3;
    uint256 public constant NONCES = 16;

    address[] public owners;
    mapping(address => uint256) public keys;
    mapping(address => uint256) public minted;
    mapping(address => uint256) public swept;
    mapping(address => mapping(uint256 => uint256)) public settlements;
    mapping(address => mapping(uint256 => bool)) public cancelled;
    /// @dev Events that name the nonce.
    mapping(address => mapping(uint256 => uint256)) public events;
    uint256 public fees;
    uint256 public builderFees;
    uint256 public delivered;
    uint256 public taken;
    uint256 public sweeps;
    uint256 public unauthorised;

    SweepOrder private _last;
    bytes private _lastSignature;
    /// @dev Two orders, their amounts for the swap, and the signature.
    bytes private _lastBatch;

    constructor() {
        setUp();
        for (uint256 i; i < OWNERS; ++i) {
            (address account, uint256 key) = makeAddrAndKey(string.concat("owner ", vm.toString(i)));
            owners.push(account);
            keys[account] = key;
            _delegate(account, address(delegate));
        }
        tokenOut.mint(address(router), type(uint128).max);
        // A bystander has everything that an attack needs: tokens, an allowance to the router, and the delegate.
        address bystander = bystanders();
        _delegate(bystander, address(delegate));
        tokenIn.mint(bystander, AMOUNT);
        tokenOut.mint(bystander, AMOUNT);
        vm.prank(bystander);
        tokenIn.approve(address(router), type(uint256).max);
    }

    /// @dev Counts the guard's events of an action by their nonce.
    modifier logged() {
        vm.recordLogs();
        _;
        Vm.Log[] memory entries = vm.getRecordedLogs();
        for (uint256 i; i < entries.length; ++i) {
            Vm.Log memory entry_ = entries[i];
            if (entry_.emitter != address(guard)) continue;
            bool isSwept = entry_.topics[0] == ISweepGuard.Swept.selector;
            address account = address(uint160(uint256(entry_.topics[isSwept ? 2 : 1])));
            ++events[account][_word(entry_.data, isSwept ? 8 : 0)];
        }
    }

    function bystanders() public returns (address) {
        return makeAddr("bystander");
    }

    function sweep(uint256 who, uint256 nonce, uint256 amount, uint256 fee, uint256 builderFee, uint256 out)
        external
        logged
    {
        (SweepOrder memory order, uint256 rest) = _any(who, nonce, amount, fee, builderFee, out);
        bytes memory signature = _sign(order, keys[order.owner]);
        try ISweepDelegate(order.owner).execute(order, signature) returns (uint256 amountOut) {
            _settled(order, rest, amountOut);
        } catch { }
        (_last, _lastSignature) = (order, signature);
    }

    function batch(uint256 who, uint256 nonce, uint256 amount, uint256 out) external logged {
        (SweepOrder memory order, uint256 rest) = _any(who, nonce, amount, 1, 1, out);
        ISweepEntry.Item[] memory items = _items(order, _sign(order, keys[order.owner]));
        if (entry.run(items) == 1) _settled(order, rest, order.minAmountOut);
    }

    /// @dev Two orders of one owner under one signature. The second has the nonce after the first.
    function legs(uint256 who, uint256 nonce, uint256 amount, uint256 out) external logged {
        uint256[2] memory rests;
        SweepOrder[] memory orders = new SweepOrder[](2);
        (orders[0], rests[0]) = _any(who, nonce, amount, 1, 1, out);
        (orders[1], rests[1]) = _any(who, nonce % NONCES + 1, amount, 0, 1, out);
        bytes32[] memory hashes = _legHashes(orders);
        address account = orders[0].owner;
        bytes memory signature = _signHash(_batchDigest(hashes, "Service", account), keys[account]);
        uint256 ok = ISweepDelegate(account).executeBatch(orders, _limits(2, 400_000), hashes, 0, signature);
        for (uint256 i; i < 2; ++i) {
            if (ok >> i & 1 == 1) _settled(orders[i], rests[i], orders[i].minAmountOut);
        }
        _lastBatch = abi.encode(orders, rests, signature);
        // Nobody else runs a leg by itself.
        try ISweepDelegate(account).executeLeg(orders[0]) {
            ++unauthorised;
        } catch { }
    }

    /// @dev A leg alone, under the signature of its batch: one that failed may settle now, one that settled does not again.
    function replayLeg(uint256 which) external logged {
        if (_lastBatch.length == 0) return;
        (SweepOrder[] memory orders, uint256[2] memory rests, bytes memory signature) =
            abi.decode(_lastBatch, (SweepOrder[], uint256[2], bytes));
        which %= 2;
        SweepOrder[] memory alone = new SweepOrder[](1);
        alone[0] = orders[which];
        (address account, uint256 nonce) = (alone[0].owner, alone[0].nonce);
        bool isSpent = settlements[account][nonce] != 0 || cancelled[account][nonce];
        bytes32[] memory hashes = _legHashes(orders);
        if (ISweepDelegate(account).executeBatch(alone, _limits(1, 400_000), hashes, which, signature) == 1) {
            if (isSpent) ++unauthorised;
            _settled(alone[0], rests[which], alone[0].minAmountOut);
        }
        // The batch's signature is not one of the order.
        try ISweepDelegate(account).execute(alone[0], signature) {
            ++unauthorised;
        } catch { }
    }

    function replay() external logged {
        if (_last.owner == address(0)) return;
        try ISweepDelegate(_last.owner).execute(_last, _lastSignature) {
            if (settlements[_last.owner][_last.nonce] != 0 || cancelled[_last.owner][_last.nonce]) ++unauthorised;
            else _settled(_last, _last.amountIn - _last.feeAmount - _last.builderFee, _last.minAmountOut);
        } catch { }
    }

    function tamper(uint256 field, uint256 word) external logged {
        SweepOrder memory order = _last;
        if (order.owner == address(0)) return;
        field = bound(field, 1, 13);
        if (field == 10) return;
        bytes32 before = _structHash(order);
        if (field == 1 || field == 4 || field == 6 || field == 8 || field == 9) word = uint160(word);
        assembly ("memory-safe") {
            mstore(add(order, mul(field, 0x20)), word)
        }
        if (_structHash(order) == before) return;
        try ISweepDelegate(order.owner).execute(order, _lastSignature) {
            ++unauthorised;
        } catch { }
    }

    function cancel(uint256 who, uint256 nonce) external logged {
        address account = owners[who % OWNERS];
        nonce = nonceAt(nonce);
        vm.prank(account);
        try ISweepDelegate(account).cancel(nonce) {
            if (settlements[account][nonce] != 0) ++unauthorised;
            cancelled[account][nonce] = true;
        } catch { }
    }

    /// @dev The owner calls the guard in transactions of its own, without a sweep.
    function enterAlone(uint256 who, uint256 nonce) external logged {
        address account = owners[who % OWNERS];
        nonce = nonceAt(nonce);
        vm.prank(account);
        try guard.enter(nonce, Kind.Router, address(router)) { } catch { }
        SweepReport memory report;
        report.nonce = nonce;
        vm.prank(account);
        try guard.exit(report) {
            ++unauthorised;
        } catch { }
    }

    /// @dev An order whose swap runs another owner's order on the way.
    function nest(uint256 who, uint256 nonce, uint256 amount, uint256 out) external logged {
        (SweepOrder memory inner,) = _any(who % OWNERS + 1, nonce, amount, 0, 0, out);
        (SweepOrder memory outer, uint256 rest) = _any(who, nonce, amount, 0, 0, out);
        bytes memory data = abi.encodeCall(ISweepDelegate.execute, (inner, _sign(inner, keys[inner.owner])));
        outer.swapCalldata = abi.encodeCall(
            MockRouter.swapTrying,
            (inner.owner, data, address(tokenIn), rest, address(tokenOut), outer.minAmountOut, destination)
        );
        try ISweepDelegate(outer.owner).execute(outer, _sign(outer, keys[outer.owner])) returns (uint256 amountOut) {
            _settled(outer, rest, amountOut);
        } catch { }
    }

    /// @dev The router takes as much as it can from the owner and the bystander, and pays nothing.
    function steal(uint256 who, uint256 nonce, uint256 amount, uint256 extra) external logged {
        (SweepOrder memory order,) = _any(who, nonce, amount, 0, 0, 1);
        tokenIn.mint(order.owner, AMOUNT);
        minted[order.owner] += AMOUNT;
        extra = bound(extra, 1, AMOUNT);
        order.swapCalldata = abi.encodeCall(
            MockRouter.swap, (address(tokenIn), order.amountIn + extra, address(tokenOut), 1, destination)
        );
        try ISweepDelegate(order.owner).execute(order, _sign(order, keys[order.owner])) {
            ++unauthorised;
        } catch { }
    }

    function system() external view returns (address, address, address) {
        return (address(guard), address(delegate), address(entry));
    }

    function tokens() external view returns (DevToken, DevToken, address) {
        return (tokenIn, tokenOut, address(router));
    }

    function recipients() external view returns (address, address, address) {
        return (feeRecipient, builder, destination);
    }

    function isNonceUsed(address account, uint256 nonce) external view returns (bool) {
        return guard.isNonceUsed(account, nonce);
    }

    function nonceAt(uint256 index) public view returns (uint256) {
        return _nonce(index % NONCES);
    }

    function _word(bytes memory data, uint256 index) private pure returns (uint256 word) {
        assembly ("memory-safe") {
            word := mload(add(add(data, 0x20), shl(5, index)))
        }
    }

    function _any(uint256 who, uint256 nonce, uint256 amount, uint256 fee, uint256 builderFee, uint256 out)
        private
        returns (SweepOrder memory order, uint256 rest)
    {
        address account = owners[who % OWNERS];
        amount = bound(amount, 3, 1e30);
        fee = bound(fee, 0, amount - 2);
        builderFee = bound(builderFee, 0, amount - 1 - fee);
        out = bound(out, 1, 1e30);
        rest = amount - fee - builderFee;
        tokenIn.mint(account, amount);
        minted[account] += amount;
        order = _order(account, address(tokenIn), address(tokenOut), rest, out);
        (order.amountIn, order.feeAmount, order.builderFee) = (amount, fee, builderFee);
        (order.minAmountOut, order.nonce) = (out, nonceAt(nonce));
    }

    function _settled(SweepOrder memory order, uint256 rest, uint256 amountOut) private {
        ++settlements[order.owner][order.nonce];
        ++sweeps;
        swept[order.owner] += order.amountIn;
        fees += order.feeAmount;
        builderFees += order.builderFee;
        taken += rest;
        delivered += amountOut;
    }
}

/// @notice Properties that hold after any sequence of calls.
contract InvariantsTest is MockScene {
    SweepHandler private handler;

    function setUp() public override {
        handler = new SweepHandler();
        targetContract(address(handler));
        bytes4[] memory selectors = new bytes4[](10);
        selectors[0] = handler.sweep.selector;
        selectors[1] = handler.batch.selector;
        selectors[2] = handler.replay.selector;
        selectors[3] = handler.tamper.selector;
        selectors[4] = handler.cancel.selector;
        selectors[5] = handler.nest.selector;
        selectors[6] = handler.steal.selector;
        selectors[7] = handler.legs.selector;
        selectors[8] = handler.replayLeg.selector;
        selectors[9] = handler.enterAlone.selector;
        targetSelector(FuzzSelector(address(handler), selectors));
    }

    /// @dev The invariants prove nothing unless some sweeps settle.
    function afterInvariant() public view {
        assertGt(handler.sweeps(), 0);
    }

    function invariant_NothingHappensWithoutAnOrder() public view {
        assertEq(handler.unauthorised(), 0);
    }

    function invariant_FeesAndDeliveriesAddUp() public view {
        (DevToken input, DevToken output, address venue) = handler.tokens();
        (address fee, address builderFee, address to) = handler.recipients();
        assertEq(input.balanceOf(fee), handler.fees());
        assertEq(input.balanceOf(builderFee), handler.builderFees());
        assertEq(input.balanceOf(venue), handler.taken());
        assertEq(output.balanceOf(to), handler.delivered());
    }

    function invariant_OwnersLoseExactlyWhatTheySigned() public view {
        (DevToken input,,) = handler.tokens();
        for (uint256 i; i < handler.OWNERS(); ++i) {
            address account = handler.owners(i);
            assertEq(input.balanceOf(account), handler.minted(account) - handler.swept(account));
        }
    }

    function invariant_BystanderIsUntouched() public {
        (DevToken input, DevToken output, address venue) = handler.tokens();
        address bystander = handler.bystanders();
        assertEq(input.balanceOf(bystander), AMOUNT);
        assertEq(output.balanceOf(bystander), AMOUNT);
        assertEq(input.allowance(bystander, venue), type(uint256).max);
    }

    function invariant_NoAllowanceIsLeft() public view {
        (DevToken input,, address venue) = handler.tokens();
        for (uint256 i; i < handler.OWNERS(); ++i) {
            assertEq(input.allowance(handler.owners(i), venue), 0);
        }
    }

    function invariant_NonceSettlesAtMostOnceAndIsThenSpent() public view {
        for (uint256 i; i < handler.OWNERS(); ++i) {
            address account = handler.owners(i);
            for (uint256 index; index < handler.NONCES(); ++index) {
                uint256 nonce = handler.nonceAt(index);
                uint256 settled = handler.settlements(account, nonce);
                bool cancelled = handler.cancelled(account, nonce);
                assertLe(settled, cancelled ? 0 : 1);
                assertEq(handler.isNonceUsed(account, nonce), settled == 1 || cancelled);
            }
        }
    }

    function invariant_NonceIsSpentWithOneEvent() public view {
        for (uint256 i; i < handler.OWNERS(); ++i) {
            address account = handler.owners(i);
            for (uint256 index; index < handler.NONCES(); ++index) {
                uint256 nonce = handler.nonceAt(index);
                assertEq(handler.events(account, nonce), handler.isNonceUsed(account, nonce) ? 1 : 0);
            }
        }
    }

    function invariant_SystemHoldsNothing() public view {
        (DevToken input, DevToken output,) = handler.tokens();
        (address a, address b, address c) = handler.system();
        address[3] memory contracts = [a, b, c];
        for (uint256 i; i < 3; ++i) {
            assertEq(input.balanceOf(contracts[i]) + output.balanceOf(contracts[i]) + contracts[i].balance, 0);
        }
    }
}
