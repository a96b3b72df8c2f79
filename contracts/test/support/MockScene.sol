// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevToken } from "../../src/dev/DevToken.sol";
import { SweepOrder } from "../../src/interfaces/ISweepDelegate.sol";
import { MockRouter } from "../mocks/MockRouter.sol";
import { SweepTest } from "./SweepTest.sol";

/// @notice Two ordinary tokens, a {MockRouter}, and a delegated owner.
abstract contract MockScene is SweepTest {
    uint256 internal constant AMOUNT = 1000e18;
    uint256 internal constant FEE = 5e18;
    uint256 internal constant BUILDER_FEE = 2e18;
    uint256 internal constant REST = AMOUNT - FEE - BUILDER_FEE;
    uint256 internal constant OUT = 500e18;

    DevToken internal tokenIn;
    DevToken internal tokenOut;
    MockRouter internal router;
    /// @dev Listed as a bridge. It does what its calldata says, like the router.
    MockRouter internal bridge;
    address internal weth;
    address internal immutable destination = makeAddr("destination");

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        tokenIn = new DevToken("Input", "IN", 18);
        tokenOut = new DevToken("Output", "OUT", 18);
        router = new MockRouter();
        bridge = new MockRouter();
        weth = weth9();
        _deploy(weth, _one(address(router)), _one(address(bridge)));
        _delegate(owner, address(delegate));
        tokenIn.mint(owner, AMOUNT);
        tokenOut.mint(address(router), 1_000_000e18);
        tokenOut.mint(address(bridge), 1_000_000e18);
    }

    function _order() internal view returns (SweepOrder memory) {
        return _order(owner, address(tokenIn), address(tokenOut), REST, OUT);
    }

    /// @dev An order that leaves the chain.
    function _bridged(uint256 taken, uint256 paid) internal view returns (SweepOrder memory order) {
        order = _order(owner, address(tokenIn), address(tokenOut), taken, paid);
        (order.destChainId, order.minAmountOut, order.swapTarget) = (10, 0, address(bridge));
    }

    function _order(address account, address from, address to, uint256 taken, uint256 paid)
        internal
        view
        returns (SweepOrder memory)
    {
        return SweepOrder({
            owner: account,
            tokenIn: from,
            amountIn: AMOUNT,
            feeAmount: FEE,
            builder: builder,
            builderFee: BUILDER_FEE,
            tokenOut: to,
            minAmountOut: OUT,
            destination: destination,
            swapTarget: address(router),
            swapCalldata: abi.encodeCall(MockRouter.swap, (from == NATIVE ? weth : from, taken, to, paid, destination)),
            deadline: block.timestamp,
            nonce: _nonce(0),
            destChainId: block.chainid
        });
    }
}
