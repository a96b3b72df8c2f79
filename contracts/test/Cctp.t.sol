// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevToken } from "../src/dev/DevToken.sol";
import { SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { MessengerStandIn, TransmitterStandIn } from "./mocks/CctpStandIn.sol";
import { SweepTest } from "./support/SweepTest.sol";

/// @notice An order burns by CCTP, with the call that the service makes. The TypeScript tests read the same file.
contract CctpTest is SweepTest {
    string private constant BURN = "../test/vectors/cctp-burn.json";

    uint256 private constant FEE = 5e6;
    uint256 private constant BUILDER_FEE = 2e6;

    string private json;
    DevToken private token;
    address private messenger;
    address private transmitter;

    function setUp() public {
        json = vm.readFile(BURN);
        messenger = _address(".messenger");
        transmitter = _address(".transmitter");
        token = DevToken(_address(".token"));
        vm.etch(address(token), address(new DevToken("USD Coin", "USDC", 6)).code);
        vm.etch(transmitter, address(new TransmitterStandIn(uint32(vm.parseJsonUint(json, ".sourceDomain")))).code);
        MessengerStandIn standIn =
            new MessengerStandIn(TransmitterStandIn(transmitter), _address(".destinationMessenger"));
        vm.etch(messenger, address(standIn).code);
        _deploy(weth9(), _none(), _one(messenger));
        _delegate(owner, address(delegate));
    }

    /// @dev The terms behind the arguments change nothing of the burn, and the message has exactly the bytes that its proof expects.
    function test_OrderBurnsForTheRecipient() public {
        assertEq(owner, _address(".owner"));
        uint256 rest = vm.parseJsonUint(json, ".amount");
        token.mint(owner, rest + FEE + BUILDER_FEE);

        vm.expectEmit(transmitter);
        emit TransmitterStandIn.MessageSent(vm.parseJsonBytes(json, ".message"));
        _executeSigned(_order(rest));

        assertEq(token.balanceOf(owner), 0);
        assertEq(token.balanceOf(messenger), rest);
        assertEq(token.allowance(owner, messenger), 0);
    }

    function _address(string memory path) private view returns (address) {
        return vm.parseJsonAddress(json, path);
    }

    function _order(uint256 rest) private view returns (SweepOrder memory) {
        return SweepOrder({
            owner: owner,
            tokenIn: address(token),
            amountIn: rest + FEE + BUILDER_FEE,
            feeAmount: FEE,
            builder: builder,
            builderFee: BUILDER_FEE,
            tokenOut: _address(".tokenOut"),
            minAmountOut: 0,
            destination: _address(".recipient"),
            swapTarget: messenger,
            swapCalldata: vm.parseJsonBytes(json, ".calldata"),
            deadline: block.timestamp,
            nonce: _nonce(0),
            destChainId: vm.parseJsonUint(json, ".destChainId")
        });
    }
}
