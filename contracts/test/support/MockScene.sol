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
    address internal weth;
    address internal immutable destination = makeAddr("destination");

    function setUp() public virtual {
        vm.warp(1_800_000_000);
        tokenIn = new DevToken("Input", "IN", 18);
        tokenOut = new DevToken("Output", "OUT", 18);
        router = new MockRouter();
        weth = weth9();
        address[] memory targets = new address[](1);
        targets[0] = address(router);
        _deploy(weth, targets);
        _delegate(owner, address(delegate));
        tokenIn.mint(owner, AMOUNT);
        tokenOut.mint(address(router), 1_000_000e18);
    }

    function _order() internal view returns (SweepOrder memory) {
        return _order(owner, address(tokenIn), address(tokenOut), REST, OUT);
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
            nonce: 0,
            destChainId: block.chainid
        });
    }
}
